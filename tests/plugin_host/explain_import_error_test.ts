import assert from "node:assert/strict";
import { explainImportError } from "../../src/plugin_host/explain_import_error.ts";

Deno.test("explainImportError() finds code and file in what a compiled program says of a syntax error", () => {
  const said =
    'JsErrorBox { inner: ParseDiagnostic(ParseDiagnosticInner { specifier: Url { scheme: "file", host: None, port: None, path: "/plugins/a \\"b\\".ts", query: None }, range: SourceRange { start: SourcePos(41), end: SourcePos(42) }, kind: TS1109, source: SourceTextInfo { text: "const x = ;\\n" } }) }';
  const { message } = explainImportError(new Error(said), {
    entry: "/plugins/entry.ts",
    root: "/plugins",
  });
  assert.equal(message, 'Syntax error: TS1109 in "/plugins/a \\"b\\".ts"');
});
