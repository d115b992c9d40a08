import type { CommandLine } from "../options/command_table.ts";
import type { Surroundings } from "../program.ts";
import { bashCompletions } from "./bash_completions.ts";
import { completedCommands } from "./completed_commands.ts";
import { fishCompletions } from "./fish_completions.ts";
import { zshCompletions } from "./zsh_completions.ts";

/**
 * `tau completions SHELL`: prints a script that completes tau's command lines.
 * All that it offers stands in the script. It starts no program and evaluates
 * nothing of what was typed. Returns the exit code.
 */
export async function completionsCommand(
  { words: [shell] }: CommandLine<"completions">,
  { console }: Surroundings,
): Promise<number> {
  const scriptOf = shell === "bash"
    ? bashCompletions
    : shell === "zsh"
    ? zshCompletions
    : fishCompletions;
  console.stdout.write(scriptOf(completedCommands()));
  return await console.settle(0);
}
