import assert from "node:assert/strict";
import { inTempFolder } from "../support/temp_folder.ts";
import type { BashMemoryReport } from "./bash_memory_child.ts";

const CHILD = new URL("./bash_memory_child.ts", import.meta.url).pathname;
const CONFIG = new URL("../../deno.json", import.meta.url).pathname;

const OUTPUT_BYTES = 200_000_000;
const MAX_GROWTH_BYTES = 60 * 1024 * 1024;

const COMMANDS = {
  "short lines": `yes 'a line of output' | head -c ${OUTPUT_BYTES}`,
  "one line": `tr '\\0' x < /dev/zero | head -c ${OUTPUT_BYTES}`,
};

for (const [name, command] of Object.entries(COMMANDS)) {
  Deno.test(`bash takes 200 MB of output within 60 MB of memory, ${name}`, () =>
    inTempFolder(async (folder) => {
      const { success, stdout, stderr } = await new Deno.Command(
        Deno.execPath(),
        {
          args: [
            ...["run", "-A", "--no-prompt", "--config", CONFIG],
            ...[CHILD, folder, command],
          ],
        },
      ).output();
      assert.ok(success, new TextDecoder().decode(stderr));
      const report: BashMemoryReport = JSON.parse(
        new TextDecoder().decode(stdout),
      );
      assert.equal(report.fullOutputBytes, OUTPUT_BYTES);
      assert.match(report.end, /Full output: .*\]$/);
      assert.ok(
        report.grewByBytes < MAX_GROWTH_BYTES,
        `${report.grewByBytes} bytes`,
      );
    }));
}
