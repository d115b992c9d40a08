import { UNKNOWN } from "./command_pattern.ts";
import type { ShellScript } from "./shell_command.ts";

/**
 * The commands of a line of PowerShell, as far as they can be told without its
 * parser: what is more than one plain command is unclear, and its pieces count
 * for what is forbidden only.
 */
export function readPowerShellCommands(source: string): ShellScript {
  const isPlain = !/[;|&<>(){}$`\n\r@\[\]'",]/.test(source);
  const pieces = source.split(/[;|&<>(){}=\n\r@]+/);
  return {
    commands: pieces.flatMap((piece) => {
      const words = piece.replaceAll(UNKNOWN, "")
        .toLowerCase().replace(/['"`]/g, "").split(/\s+/)
        .filter((word) => word !== "");
      return words.length === 0
        ? []
        : [{ words, assignments: [], inner: [], isTransparent: false }];
    }),
    writesFile: false,
    ...(isPlain ? {} : { unclear: "it is more than one plain command" }),
  };
}
