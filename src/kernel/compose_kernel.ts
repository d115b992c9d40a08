import type { RunSetup } from "../protocol/kernel_messages.ts";
import type { AnyToolDefinition } from "../sdk/tool_definition.ts";
import type { AgentSession } from "../session/agent_session.ts";
import type { SessionEntry } from "../session/session_entry.ts";
import { composeCheck } from "./compose_check.ts";
import { composeGate } from "./compose_gate.ts";
import { composeSession, toolWrapper } from "./compose_session.ts";
import {
  builtInTools,
  chooseTools,
  createToolFactories,
} from "./compose_tools.ts";
import type { KernelPlugins } from "./kernel_plugins.ts";
import type { PluginParts } from "./load_plugins.ts";
import type { PluginToolSet } from "./plugin_tool_set.ts";
import { RefusalReporter } from "./refusal_reporter.ts";
import { replayedCheck, replayedTools } from "./replayed_tools.ts";
import { gated, type RuleGate } from "./rule_gate.ts";
import { toolRenderers } from "./run_events.ts";
import type { SessionChannel } from "./session_channel.ts";

/** A session with its tools and plugins. */
export interface ComposedKernel {
  session: AgentSession;
  /** Undefined where there are none to look for; else their tools are those of the session. */
  plugins: { plugins: KernelPlugins; toolSet: PluginToolSet } | undefined;
  gate: RuleGate;
}

/** Composes the parts that exist before a session: `more` are tools beside the built-in ones, and before those of the same name. */
export function kernelParts(
  setup: RunSetup,
  channel: SessionChannel,
  { more = [], history }: {
    more?: readonly AnyToolDefinition[];
    history: readonly SessionEntry[];
  },
): PluginParts {
  const refusals = new RefusalReporter((message) => channel.send(message));
  const factories = createToolFactories(setup, {
    killCall: (marker) => channel.killCall(marker),
    onRefused: (access) => refusals.note(access),
  });
  const builtIn = [...more, ...builtInTools(factories)];
  return { setup, channel, factories, builtIn, history };
}

/** Puts a session together from its parts: the one composition, in a kernel and in any other process. */
export async function composeKernel(
  parts: PluginParts,
): Promise<ComposedKernel> {
  const { setup, channel, builtIn, history } = parts;
  let composed: AgentSession | undefined;
  const wrap = toolWrapper(setup, {
    sessionFile: () => channel.sessionFile,
    answers: () => composed?.answers ?? setup,
  });
  const plugins = setup.plugins && await (await import("./load_plugins.ts"))
    .loadPlugins(setup.plugins, parts);
  const available = [...plugins?.definitions ?? [], ...builtIn];
  const named = plugins?.hasAny
    ? await knownNames(setup.tools, { available, channel })
    : setup.tools;
  const chosen = chooseTools(named, available);
  // A plugin that is not there any more, or registers it later, may have it.
  if (!plugins?.hasAny) chooseTools(setup.excludedTools ?? [], available);
  const replayed = (tools: readonly AnyToolDefinition[]) =>
    setup.replayTools ? replayedTools(tools, channel) : tools;
  const toolSet = plugins?.toolSet({ builtIn, wrap, replayed });
  const find = toolSet?.find ??
    ((name: string) => chosen.find((tool) => tool.name === name));
  const { cwd, render, updates } = setup;
  const renderers = render && toolRenderers(find, { cwd, ...render });
  const emit = channel.emitter({ renderers, updates });
  const gate = composeGate(setup, channel, chosen);
  const session = composed = composeSession(
    setup,
    toolSet ?? {
      tools: replayed(chosen).map(wrap),
      active: () => chosen,
    },
    {
      streamModel: channel.streamModel,
      emit: plugins ? plugins.listening(emit) : emit,
      runCheck: setup.replayTools
        ? replayedCheck(channel)
        : composeCheck(setup, channel),
      beforeToolCall: gated(gate, plugins?.hooks.beforeToolCall),
      hooks: plugins?.hooks,
    },
    history,
  );
  return {
    session,
    gate,
    plugins: plugins && toolSet && { plugins, toolSet },
  };
}

/** The names that stand for something. A plugin may still register the others, so that they are only told. */
async function knownNames(
  names: readonly string[],
  { available, channel }: {
    available: readonly AnyToolDefinition[];
    channel: SessionChannel;
  },
): Promise<string[]> {
  const known = new Set(available.map(({ name }) => name));
  for (const name of names) {
    if (known.has(name)) continue;
    await channel.send({
      type: "event",
      event: {
        type: "plugin_notice",
        name: "tau",
        level: "warning",
        message:
          `There is no tool "${name}", unless a plugin registers it later`,
      },
    });
  }
  return names.filter((name) => known.has(name));
}
