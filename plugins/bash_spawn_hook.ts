/**
 * Changes how bash starts its commands: programs of the project
 * (`node_modules/.bin`, `.venv/bin`) are found by their names, and
 * `--plugin-flag bash_setup=…` runs before each command.
 *
 *     tau --plugin plugins/bash_spawn_hook.ts --plugin-flag bash_setup="ulimit -t 60"
 */
import type { PluginAPI } from "tau";

const FOLDERS = ["node_modules/.bin", ".venv/bin"];

export default function (tau: PluginAPI): void {
  tau.registerFlag("bash_setup", {
    type: "string",
    default: "",
    description: "shell code that runs before each command of bash",
  });
  const setup = String(tau.getFlag("bash_setup"));

  const bash = tau.createBashToolDefinition({
    spawnHook: ({ command, cwd, env }) => ({
      cwd,
      env: { ...env, TAU_BIN: FOLDERS.map((bin) => `${cwd}/${bin}`).join(":") },
      command: `PATH="$TAU_BIN:$PATH"\n${setup}\n${command}`,
    }),
  });
  tau.registerTool(bash, { override: true });
}
