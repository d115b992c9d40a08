import assert from "node:assert/strict";
import { makeDeclarations } from "../../../build/declarations/make_declarations.ts";
import { DECLARATIONS } from "../../../src/cli/plugins/declarations.ts";

Deno.test("the declarations that tau plugins types prints are those of src/mod.ts", async () => {
  const made = await makeDeclarations(new URL("../../../", import.meta.url));
  assert(
    made === DECLARATIONS,
    "src/mod.ts has changed: deno task declarations",
  );
});

Deno.test("the declarations are one module that imports nothing", () => {
  assert.equal(DECLARATIONS.match(/^declare module "tau" \{$/gm)?.length, 1);
  assert.doesNotMatch(
    DECLARATIONS,
    /^\s*import\b|\bimport\("|^\s*export .* from /m,
  );
});
