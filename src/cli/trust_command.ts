import { tauHome } from "../settings/tau_home.ts";
import { saveTrust, trustFile } from "../settings/trust.ts";
import { UsageError } from "../settings/usage_error.ts";
import type { CommandLine } from "./options/command_table.ts";
import type { Surroundings } from "./program.ts";
import { terminalText } from "./terminal_text.ts";

/**
 * `tau trust [--remove]`: from now on the `.tau` of the current folder counts,
 * or no longer. Returns the exit code. Throws {@linkcode UsageError}.
 */
export async function trustCommand(
  { given: { remove } }: CommandLine<"trust">,
  { console, env }: Surroundings,
): Promise<number> {
  const home = tauHome(env);
  if (home === undefined) {
    throw new UsageError(
      "Cannot save the decision: set TAU_HOME or HOME to an absolute path",
    );
  }
  const cwd = Deno.realPathSync(".");
  saveTrust({ cwd, home }, remove ? undefined : true);
  const decision = remove ? "No longer trusted" : "Trusted";
  console.stdout.write(
    terminalText(`${decision}: ${cwd}\nSaved in ${trustFile(home)}\n`),
  );
  return await console.settle(0);
}
