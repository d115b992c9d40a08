// The command line: arguments, output modes, signals and exit codes. It knows
// no provider, no tool and no kernel; the host runs what it asks for.
export { type Program, runCli } from "./run_cli.ts";
