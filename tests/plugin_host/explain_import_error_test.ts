import assert from "node:assert/strict";
import {
  explainImportError,
  placeOfError,
} from "../../src/plugin_host/explain_import_error.ts";

Deno.test("explainImportError() finds code and file in what a compiled program says of a syntax error", () => {
  const said =
    'JsErrorBox { inner: ParseDiagnostic(ParseDiagnosticInner { specifier: Url { scheme: "file", host: None, port: None, path: "/plugins/a \\"b\\".ts", query: None }, range: SourceRange { start: SourcePos(41), end: SourcePos(42) }, kind: TS1109, source: SourceTextInfo { text: "const x = ;\\n" } }) }';
  const { message } = explainImportError(new Error(said), {
    entry: "/plugins/entry.ts",
    root: "/plugins",
  });
  assert.equal(message, 'Syntax error: TS1109 in "/plugins/a \\"b\\".ts"');
});

Deno.test("placeOfError() finds a place below a folder whose name holds spaces, parentheses and percent signs", () => {
  const root = "/a (1)/100% b";
  const place = { file: `${root}/x y.ts`, line: 3, column: 7 };
  const stackOf = (address: string) => {
    const error = new Error("boo");
    error.stack =
      `Error: boo\n    at other (file:///elsewhere.ts:1:1)\n    at Module.default (${address}:3:7)`;
    return error;
  };
  for (
    const address of [
      `file://${root}/x y.ts`,
      `file://${encodeURI(`${root}/x y.ts`)}`,
    ]
  ) {
    assert.deepEqual(placeOfError(stackOf(address), root), place);
  }
});
