import { filePath } from "./file_path.ts";
import type { KernelProgram } from "./kernel_program.ts";

/** The command that starts a kernel with Deno's flags. */
export function kernelCommand(
  program: KernelProgram,
  flags: readonly string[],
): string[] {
  return [
    Deno.execPath(),
    ...(program.selfArgument === undefined
      ? ["run", ...flags, ...moduleFlags(program), program.entry.href]
      : [program.selfArgument, ...flags]),
  ];
}

/** From source, the project's configuration says what bare names mean; a bundle needs nothing but itself. */
function moduleFlags({ entry, config }: KernelProgram): string[] {
  if (config) return ["--config", filePath(config)];
  if (entry.pathname.endsWith(".ts")) return [];
  // What plugins import as "tau" is the module that the kernel itself has.
  const map = filePath(new URL("../import_map.json", entry));
  return [
    ...["--no-config", "--no-lock", "--no-npm", "--no-remote"],
    `--import-map=${map}`,
  ];
}
