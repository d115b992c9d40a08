import type { ConversationOptions } from "../host/conversation.ts";
import type { KernelProgram } from "../host/kernel_process.ts";
import { checkChoice } from "./goal_flags.ts";
import type { RunFlags } from "./invocation.ts";
import { limitChoice } from "./limit_flags.ts";
import { proxySource } from "../host/proxy_source.ts";
import { readConfiguration } from "./read_configuration.ts";
import { sessionChoice } from "./session_flags.ts";

/** What the command line and the settings say of a session, however it is shown. Rejects with a `UsageError`. */
export async function sessionOptions(
  flags: RunFlags,
  { env, kernel, attachments }: {
    env: Record<string, string>;
    kernel: KernelProgram;
    /** Paths of `@file` arguments. */
    attachments: string[];
  },
): Promise<{
  options: Omit<ConversationOptions, "render" | "updates" | "mode">;
  /** Lines for stderr. */
  warnings: string[];
}> {
  const configuration = await readConfiguration(flags, { env, attachments });
  return {
    options: {
      cwd: flags.cd ?? ".",
      model: flags.model,
      ...limitChoice(flags),
      ...configuration.options,
      check: checkChoice(flags),
      outputSchema: await outputSchema(flags["output-schema"]),
      timeoutMs: flags.timeout,
      session: sessionChoice(flags),
      source: await proxySource(env),
      kernel,
      env,
    },
    warnings: configuration.warnings,
  };
}

/** Loads what checks schemas and answers only where there is a schema. */
async function outputSchema(
  path: string | undefined,
): Promise<ConversationOptions["outputSchema"]> {
  if (path === undefined) return undefined;
  const { readOutputSchema } = await import("./read_output_schema.ts");
  return await readOutputSchema(path);
}
