import assert from "node:assert/strict";
import { probeSandbox } from "../../src/sandbox/sandbox_probe.ts";
import { inTempFolder } from "../support/temp_folder.ts";

Deno.test("probeSandbox() gives up on a program that hangs, also when something else holds its output", async () => {
  await inTempFolder(async (folder) => {
    const bubblewrap = `${folder}/bwrap`;
    await Deno.writeTextFile(bubblewrap, "#!/bin/sh\nsleep 4\n", {
      mode: 0o755,
    });
    const startMs = performance.now();
    const reason = await probeSandbox({
      bubblewrap,
      filterFile: undefined,
      limitMs: 100,
    });
    assert.match(reason ?? "", /failed: no sandbox within 0\.1 s/);
    assert(performance.now() - startMs < 3000);
  });
});

Deno.test("probeSandbox() gives up on a program that has ended and left its output to another", async () => {
  await inTempFolder(async (folder) => {
    const bubblewrap = `${folder}/bwrap`;
    await Deno.writeTextFile(bubblewrap, "#!/bin/sh\nsleep 4 &\n", {
      mode: 0o755,
    });
    const reason = await probeSandbox({
      bubblewrap,
      filterFile: undefined,
      limitMs: 300,
    });
    assert.match(reason ?? "", /failed: no sandbox within 0\.3 s/);
  });
});
