import type { Console } from "../console.ts";
import type { ShellName } from "../invocation.ts";
import { bashCompletions } from "./bash_completions.ts";
import { completionTree } from "./completion_tree.ts";
import { fishCompletions } from "./fish_completions.ts";
import { zshCompletions } from "./zsh_completions.ts";

/**
 * `tau completions SHELL`: prints a script that completes tau's command lines.
 * All that it offers stands in the script. It starts no program and evaluates
 * nothing of what was typed. Returns the exit code.
 */
export async function completionsCommand(
  { shell }: { shell: ShellName },
  { console }: { console: Console },
): Promise<number> {
  const scriptOf = {
    bash: bashCompletions,
    zsh: zshCompletions,
    fish: fishCompletions,
  }[shell];
  console.stdout.write(scriptOf(await completionTree()));
  return await console.settle(0);
}
