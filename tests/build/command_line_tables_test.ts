import assert from "node:assert/strict";
import { withCommandLineTables } from "../../build/docs/command_line_tables.ts";

const PAGE = await Deno.readTextFile(
  new URL("../../docs/command-line.md", import.meta.url),
);

Deno.test("docs/command-line.md has the tables that the program's options and commands make", async () => {
  const made = await withCommandLineTables(PAGE);
  assert(made === PAGE, "an option or a command has changed: deno task docs");
  const lost = PAGE.replace(/^\| `--max-turns N`.*\n/m, "");
  assert.notEqual(lost, PAGE);
  assert.equal(await withCommandLineTables(lost), PAGE);
});

Deno.test("withCommandLineTables() fails for a mark of no table, and for a table without a mark", async () => {
  const renamed = PAGE.replace("<!-- table: Limits -->", "<!-- table: Odd -->");
  await assert.rejects(
    withCommandLineTables(renamed),
    /^Error: No table is called Odd$/,
  );
  const unmarked = PAGE.replace("<!-- table: Limits -->", "");
  await assert.rejects(
    withCommandLineTables(unmarked),
    /^Error: No mark for the table Limits$/,
  );
});
