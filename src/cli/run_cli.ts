import type { StopReason } from "../host/run_options.ts";
import { Console } from "./console.ts";
import type { CommandLine, CommandName } from "./options/command_table.ts";
import type { OutputFormat } from "./options/option_table.ts";
import {
  ArgumentError,
  parseArguments,
  requestedFormat,
} from "./options/parse_arguments.ts";
import type { Program, Surroundings } from "./program.ts";

/** Does what the arguments ask for; returns the exit code with everything written. Never rejects. */
export async function runCli(program: Program): Promise<number> {
  const { args, env, kernel } = program;
  const console = new Console(program, env);
  try {
    const line = await parseArguments(args);
    const run = await COMMAND_LOADERS[line.command]() as AnyCommand;
    return await run(line, { console, env, kernel });
  } catch (error) {
    return await fail(console, {
      ...await explain(error),
      format: requestedFormat(args),
    });
  }
}

type AnyCommand = (
  line: CommandLine,
  surroundings: Surroundings,
) => Promise<number>;

/** Loaders of the commands: each loads what it needs, so that `--version` loads no agent. */
const COMMAND_LOADERS: {
  [Name in CommandName]: () => Promise<
    (line: CommandLine<Name>, surroundings: Surroundings) => Promise<number>
  >;
} = {
  "": async () => (await import("./run_command.ts")).runCommand,
  rpc: async () => (await import("./rpc/rpc_command.ts")).rpcCommand,
  demo: async () => (await import("./demo/demo_command.ts")).demoCommand,
  sessions: async () => (await import("./sessions_command.ts")).sessionsCommand,
  models: async () => (await import("./models_command.ts")).modelsCommand,
  plugins: async () =>
    (await import("./plugins/plugins_command.ts")).pluginsCommand,
  permissions: async () =>
    (await import("./permissions_command.ts")).permissionsCommand,
  doctor: async () => (await import("./doctor_command.ts")).doctorCommand,
  proxy: async () => (await import("./proxy_command.ts")).proxyCommand,
  schema: async () => (await import("./schema_command.ts")).schemaCommand,
  completions: async () =>
    (await import("./completions/completions_command.ts")).completionsCommand,
  licenses: async () => (await import("./licenses_command.ts")).licensesCommand,
  trust: async () => (await import("./trust_command.ts")).trustCommand,
  help: async () => (await import("./help_command.ts")).helpCommand,
  version: async () => (await import("./version.ts")).versionCommand,
};

interface Failure {
  status:
    | "sandbox_unavailable"
    | "usage_error"
    | "internal_error"
    | "timeout"
    | StopReason;
  message: string;
  format: OutputFormat;
}

/** Ends a program that started no run; whoever reads JSON gets a record all the same. */
async function fail(
  console: Console,
  { status, message, format }: Failure,
): Promise<number> {
  const { bareResult } = await import("./bare_result.ts");
  const { jsonLine } = await import("./terminal_text.ts");
  const result = bareResult(status, message, { cwd: currentFolder() });
  if (format !== "text") console.stdout.write(jsonLine(result));
  console.warn(message);
  return await console.settle(result.exitCode);
}

async function explain(
  error: unknown,
): Promise<Pick<Failure, "status" | "message">> {
  if (error instanceof ArgumentError) {
    return { status: "usage_error", message: error.message };
  }
  const { SandboxUnavailableError } = await import("../host/confinement.ts");
  const { UsageError } = await import("../settings/usage_error.ts");
  if (error instanceof SandboxUnavailableError) {
    return { status: "sandbox_unavailable", message: error.message };
  }
  if (error instanceof UsageError) {
    return { status: "usage_error", message: error.message };
  }
  const { StoppedError } = await import("./stop_signals.ts");
  if (error instanceof StoppedError) {
    return { status: error.reason, message: error.message };
  }
  const what = error instanceof Error ? error.stack ?? error.message : error;
  return {
    status: "internal_error",
    message: `Internal error, please report it: ${what}`,
  };
}

function currentFolder(): string {
  try {
    return Deno.cwd();
  } catch {
    // The working folder no longer exists.
    return "";
  }
}
