import type { KernelProgram } from "../host/kernel_process.ts";
import type { StopReason } from "../host/run.ts";
import { parseCommandLine, requestedFormat } from "./command_line.ts";
import type { OutputFormat } from "./invocation.ts";
import { Console, type ConsoleStreams } from "./console.ts";

/** What the composition root hands to the command line. */
export interface Program extends ConsoleStreams {
  args: string[];
  env: Record<string, string>;
  kernel: KernelProgram;
}

/** Does what the arguments ask for; returns the exit code with everything written. Never rejects. */
export async function runCli(program: Program): Promise<number> {
  const { args, env, kernel } = program;
  const console = new Console(program, env);
  try {
    const invocation = await parseCommandLine(args);
    // Each command loads what it needs, so that --version loads no agent.
    switch (invocation.kind) {
      case "help": {
        const { HELP } = await import("./help_text.ts");
        console.stdout.write(HELP);
        return await console.settle(0);
      }
      case "version": {
        const { versionLine } = await import("./version.ts");
        console.stdout.write(await versionLine());
        return await console.settle(0);
      }
      case "run": {
        const { runCommand } = await import("./run_command.ts");
        return await runCommand(invocation, { console, env, kernel });
      }
      case "rpc": {
        const { rpcCommand } = await import("./rpc/rpc_command.ts");
        return await rpcCommand(invocation, { console, env, kernel });
      }
      case "demo": {
        const { demoCommand } = await import("./demo/demo_command.ts");
        return await demoCommand(invocation, { console, env, kernel });
      }
      case "proxy": {
        const { proxyCommand } = await import("./proxy_command.ts");
        return await proxyCommand(invocation, { console, env });
      }
      case "sessions": {
        const { sessionsCommand } = await import("./sessions_command.ts");
        return await sessionsCommand(invocation.action, { console, env });
      }
      case "plugins": {
        const { pluginsCommand } = await import("./plugins/plugins_command.ts");
        return await pluginsCommand(invocation.action, {
          console,
          env,
          kernel,
        });
      }
      case "schema": {
        const { schemaCommand } = await import("./schema_command.ts");
        return await schemaCommand(invocation, { console });
      }
      case "models": {
        const { modelsCommand } = await import("./models_command.ts");
        return await modelsCommand(invocation, { console, env });
      }
      case "completions": {
        const { completionsCommand } = await import(
          "./completions/completions_command.ts"
        );
        return await completionsCommand(invocation, { console });
      }
      case "trust": {
        const { trustCommand } = await import("./trust_command.ts");
        return await trustCommand(invocation, { console, env });
      }
      case "permissions": {
        const { permissionsCommand } = await import("./permissions_command.ts");
        return await permissionsCommand(invocation, { console, env, kernel });
      }
      case "doctor": {
        const { doctorCommand } = await import("./doctor_command.ts");
        return await doctorCommand(invocation, { console, env, kernel });
      }
      case "licenses": {
        const { licensesCommand } = await import("./licenses_command.ts");
        return await licensesCommand({ console });
      }
      case "invalid":
        return await fail(console, {
          status: "usage_error",
          message: invocation.message,
          format: requestedFormat(args),
        });
    }
  } catch (error) {
    return await fail(console, {
      ...await explain(error),
      format: requestedFormat(args),
    });
  }
}

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
  const { SandboxUnavailableError } = await import("../host/confinement.ts");
  const { UsageError } = await import("../settings/usage_error.ts");
  if (error instanceof SandboxUnavailableError) {
    return { status: "sandbox_unavailable", message: error.message };
  }
  if (error instanceof UsageError) {
    return { status: "usage_error", message: error.message };
  }
  const { StoppedError } = await import("./stoppable_source.ts");
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
    // It was removed under our feet.
    return "";
  }
}
