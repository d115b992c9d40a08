import type { ReadContext } from "../context/read_context.ts";
import type { PromptContext } from "../session/prompt_context.ts";
import type { Model } from "../model/model.ts";
import { deniedPathPatterns } from "../policy/denied_paths.ts";
import {
  COMMAND_TOOLS,
  DEFAULT_TOOLS,
  READING_TOOLS,
} from "../policy/built_in_tools.ts";
import type { PermissionRule } from "../policy/permission_rule.ts";
import type { RunSetup } from "../protocol/kernel_messages.ts";
import type { KernelLaunch } from "./kernel_launch.ts";
import type { KernelServerParts } from "./kernel_server.ts";
import type { PluginFolders } from "./plugin_folders.ts";
import type { RunOptions } from "./run.ts";
import { goalSetup } from "./run_record.ts";

/** Makes the setup that a kernel begins with. */
export function kernelSetup(
  options: RunOptions,
  parts: Omit<KernelServerParts, "confinement" | "source" | "tape">,
  { launch, rules, plugins, isConfined }: {
    launch: KernelLaunch;
    rules: PermissionRule[];
    plugins: PluginFolders;
    isConfined: boolean;
  },
): RunSetup {
  const { record, chosen, outputDir, session, told, listener } = parts;
  const { env, mode = "print" } = options;
  return {
    sessionId: record.sessionId,
    isStored: session !== undefined,
    historyLength: session?.history.length ?? 0,
    storedCount: session?.messages.length ?? 0,
    cwd: record.cwd,
    mode,
    hasUI: listener.ask !== undefined,
    promptContext: told && promptContext(told, listener.log),
    model: withoutAccess(chosen.model),
    thinkingLevel: chosen.thinkingLevel,
    tools: activeTools(options),
    excludedTools: options.excludeTools,
    bashTimeoutMs: options.bashTimeoutMs,
    limits: options.limits,
    maxRetries: options.maxRetries,
    compaction: options.compaction,
    goals: options.goals && goalSetup(options.goals),
    replayTools: options.replay?.tools,
    plugins: plugins.places && {
      ...plugins.places,
      allowedTools: options.tools,
      excludedTools: options.excludeTools,
    },
    policy: {
      ...launch.policy.tools,
      deniedPatterns: deniedPathPatterns(rules),
    },
    rules,
    // Nothing else stands between a command and the machine.
    asksForCommands: mode === "tui" && !isConfined,
    environment: launch.environment,
    homeDir: env.HOME ?? env.USERPROFILE,
    outputDir,
    render: options.render,
    updates: options.updates,
  };
}

/** True for a run of which anything may start programs. */
export function runsCommands(options: RunOptions): boolean {
  const { goals, mode = "print" } = options;
  // In a conversation the user may run some, too.
  const isConversation = mode === "tui" || mode === "rpc";
  return goals?.check !== undefined || isConversation ||
    activeTools(options).some((name) => COMMAND_TOOLS.includes(name));
}

/** Headers and a base URL may hold credentials, and only the host needs them. */
export function withoutAccess({ headers: _, ...model }: Model): Model {
  return { ...model, baseUrl: "" };
}

function activeTools(
  { tools, excludeTools = [], permissions }: RunOptions,
): string[] {
  const chosen = tools ??
    (permissions?.profile === "read-only" ? READING_TOOLS : DEFAULT_TOOLS);
  return chosen.filter((name) => !excludeTools.includes(name));
}

function promptContext(
  { context, readInstructions }: ReadContext,
  log: (line: string) => void,
): PromptContext {
  const { files, warnings } = readInstructions();
  for (const line of warnings) log(`tau: ${line}`);
  return { ...context, instructions: files };
}
