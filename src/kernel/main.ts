import { runKernel } from "./mod.ts";

await runKernel();
Deno.exit(0);
