import assert from "node:assert/strict";
import { readOutputSchema } from "../../src/cli/read_output_schema.ts";
import { UsageError } from "../../src/settings/usage_error.ts";
import { inTempFolder } from "../support/temp_folder.ts";

Deno.test("readOutputSchema() reads a schema, with a byte order mark or without", async () => {
  await inTempFolder(async (folder) => {
    for (const text of ['{"type":"object"}', '\ufeff{"type":"object"}\n']) {
      await Deno.writeTextFile(`${folder}/s.json`, text);
      const { schema, read } = await readOutputSchema(`${folder}/s.json`);
      assert.deepEqual(schema, { type: "object" });
      assert.deepEqual(read('{"a":1}'), { value: { a: 1 } });
      assert.match(read("1").faults?.[0] ?? "", /object/);
    }
  });
});

Deno.test("readOutputSchema() says why a file cannot be used", async () => {
  await inTempFolder(async (folder) => {
    for (
      const [text, why] of [
        ["", /not JSON: /],
        ["{'type': 'object'}", /not JSON: /],
        ["true", /it is no JSON object/],
        ["[]", /Expected a schema: an object/],
        [
          '{"properties":{"a":{"contains":{}}}}',
          /contains.*\(at #\/properties\/a/,
        ],
        ['{"type":"objekt"}', /\(at #/],
        [`{"title":"${"x".repeat(300_000)}"}`, /larger than 256 KiB/],
      ] as const
    ) {
      const path = `${folder}/s.json`;
      await Deno.writeTextFile(path, text);
      await assert.rejects(readOutputSchema(path), (error) => {
        assert(error instanceof UsageError);
        assert(error.message.startsWith(`Cannot use the output schema "`));
        assert.match(error.message, why);
        return true;
      });
    }
    await assert.rejects(readOutputSchema(`${folder}/no`), /it does not exist/);
    await assert.rejects(readOutputSchema(folder), /not a regular file/);
  });
});
