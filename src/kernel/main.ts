import { runKernel } from "./run_kernel.ts";

await runKernel();
Deno.exit(0);
