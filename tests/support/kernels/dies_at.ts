import { runKernel } from "../../../src/kernel/run_kernel.ts";
import { createLsToolDefinition } from "../../../src/tools/factories.ts";

// A kernel that ends at once in place of its message number N, where the file
// dies_at.txt of the working folder holds N. The kernel after it lives.
const FILE = "dies_at.txt";

let left = Number(await Deno.readTextFile(FILE).catch(() => "Infinity"));
const write = Deno.stdout.write.bind(Deno.stdout);
Deno.stdout.write = (bytes) => {
  const lines = bytes.filter((byte) => byte === 0x0a).length;
  if (lines > left) {
    Deno.removeSync(FILE);
    Deno.exit(9);
  }
  left -= lines;
  return write(bytes);
};

// It brings a tool, as a plugin would.
await runKernel([{ ...createLsToolDefinition(Deno.cwd()), name: "names" }]);
Deno.exit(0);
