import type { KernelProgram } from "../host/kernel_program.ts";
import type { Console, ConsoleStreams } from "./console.ts";

/** Streams, arguments and environment that the composition root hands in. */
export interface Program extends ConsoleStreams {
  args: string[];
  env: Record<string, string>;
  kernel: KernelProgram;
}

/** Parts that a command gets beside its arguments. */
export interface Surroundings {
  console: Console;
  env: Record<string, string>;
  kernel: KernelProgram;
}
