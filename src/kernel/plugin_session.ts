import type { AgentMessage } from "../agent/agent_message.ts";
import type { Message } from "../model/message.ts";
import { withFileMutationQueue } from "../operations/file_mutation_queue.ts";
import { createLocalProgramOperations } from "../operations/local_program_operations.ts";
import type {
  PluginDiagnostic,
  PluginFault,
} from "../plugin_host/plugin_diagnostic.ts";
import { PluginHost } from "../plugin_host/plugin_host.ts";
import type {
  PluginServices,
  PluginSession as SessionOfPlugins,
} from "../plugin_host/plugin_services.ts";
import { isKernelMessage } from "../protocol/checks.ts";
import type {
  AskMessage,
  HostMessage,
  NoticeEvent,
} from "../protocol/kernel_messages.ts";
import type {
  Answer,
  AskKind,
  DeclaredTool,
  KernelMessage,
  KernelMessageOf,
} from "../protocol/kernel_protocol.ts";
import type { ToolSummary } from "../sdk/plugin_api.ts";
import type { PluginEvent, PluginEventName } from "../sdk/plugin_events.ts";
import type { AnyToolDefinition } from "../sdk/tool_definition.ts";
import { catchStrayErrors } from "./catch_stray_errors.ts";
import { GrowingMessage } from "./growing_message.ts";
import { pluginMarks } from "./plugin_marks.ts";
import type { KernelParts } from "./kernel_parts.ts";
import { SessionMirror } from "./session_mirror.ts";

/** Acts of a plugin on the session. */
type Tell = KernelMessageOf<"tell"> extends infer One
  ? One extends { type: "tell" } ? Omit<One, "type"> : never
  : never;

/** Events of plugins, in the order in which they are declared. */
const EVENTS: readonly PluginEventName[] = [
  "session_start",
  "session_shutdown",
  "input",
  "before_agent_start",
  "agent_start",
  "agent_end",
  "agent_settled",
  "turn_start",
  "turn_end",
  "message_start",
  "message_update",
  "message_end",
  "tool_execution_start",
  "tool_execution_update",
  "tool_execution_end",
  "tool_call",
  "tool_result",
  "context",
  "before_provider_request",
  "before_provider_headers",
  "after_provider_response",
  "model_select",
  "thinking_level_select",
  "session_before_compact",
  "session_compact",
  "session_compact_failed",
  "user_bash",
];

/** UTF-16 units of a text: what a plugin makes of it has no other bound, and the host takes no more than some. */
const MAX_TEXT = 16 * 1024;

/** Milliseconds in which a promise that a plugin forgot fails, if it does so at once. */
const STRAYS_MS = 10;

/** The plugins of a kernel, and the session as they see it. */
export class PluginSession {
  readonly #parts: KernelParts;
  readonly #host: PluginHost;
  readonly #more: readonly AnyToolDefinition[];
  readonly #mirror = new SessionMirror();
  readonly #diagnostics: PluginDiagnostic[] = [];
  readonly #growing = new GrowingMessage({
    tell: (event) => this.#host.hooks.notify(event),
    heard: (n) => this.#send({ type: "heard", n }),
    model: () => ({ ...this.#mirror.state.model, baseUrl: "" }),
  });
  /** Signature of the last declaration, to see what is new. */
  #declared = "";
  /** Names of the tools at that time. */
  #known = new Set<string>();
  #isLoaded = false;

  constructor(parts: KernelParts) {
    this.#parts = parts;
    const { setup, builtIn, token } = parts;
    const { plugins = NO_PLACES } = setup;
    this.#host = new PluginHost({
      places: plugins,
      services: this.#services(),
      builtInTools: builtIn.map(({ name }) => name),
      copies: setup.outputDir,
      deadlineMs: plugins.inspection?.deadlineMs,
      flagValues: new Map(Object.entries(plugins.flagValues ?? {})),
      onDiagnostic: (diagnostic) => {
        this.#diagnostics.push(diagnostic);
      },
      onFault: (fault) => this.#tell(faultOf(fault)),
      onTools: () => this.declareChanges({ isChanged: true }),
    });
    this.#more = parts.more.map((tool) => this.#host.ofProgram(tool));
    // A program that embeds a session has its own errors and its own folders.
    if (token !== undefined) {
      catchStrayErrors(this.#host);
      haveTempFolder(setup.outputDir);
    }
  }

  /** The tools that calls of the host may mean: those of plugins, and of the program. */
  get served(): AnyToolDefinition[] {
    return [...this.definitions, ...this.#more];
  }

  /** The tools of plugins. */
  get definitions(): AnyToolDefinition[] {
    return this.#host.tools.map(({ definition }) => definition);
  }

  /** Loads the plugins that are there and declares what they bring. */
  async load(): Promise<void> {
    await this.#host.load();
    this.#isLoaded = true;
    this.declareChanges();
    if (!this.#parts.setup.plugins?.inspection) return;
    // Promises that plugins forgot have failed by then, if they fail at once.
    await new Promise((resolve) => setTimeout(resolve, STRAYS_MS));
    this.#send({ type: "ready" });
  }

  take(message: HostMessage): void {
    switch (message.type) {
      case "entry":
      case "state":
      case "cancel_run":
        return this.#mirror.take(message);
      case "steps":
        return this.#growing.take(message);
      case "join":
        this.#join(message.reason);
    }
  }

  /** The last that plugins hear. */
  async close(): Promise<void> {
    await this.#host.close();
  }

  /** Declares anew what plugins bring, where that is something else than before: ahead of any message that could depend on it. */
  declareChanges({ isChanged = false } = {}): void {
    if (!this.#isLoaded) return;
    const { tools, commands, hooks } = this.#host;
    const signature = JSON.stringify([
      tools.map(({ definition }) => definition.name),
      [...commands.keys()],
      EVENTS.filter((name) => hooks.has(name)),
    ]);
    const isSame = signature === this.#declared && !isChanged;
    if (isSame && this.#diagnostics.length === 0) return;
    this.#declared = signature;
    const before = this.#known;
    this.#known = new Set(this.#allNames());
    if (before.size > 0) this.#followTools(before);
    // Schemas may be objects of TypeBox: nothing but their JSON crosses.
    const declaration = JSON.parse(JSON.stringify(this.#declaration()));
    this.#diagnostics.length = 0;
    this.#send({ type: "declare", ...declaration });
  }

  /** Throws for an answer that the host would not take. */
  check(answer: KernelMessage): void {
    if (!isKernelMessage(answer)) {
      throw new RangeError("what the plugins made of it is too large");
    }
  }

  /** Returns the handlers' answer to a question of the host. */
  async answer(
    ask: AskMessage,
    _signal: AbortSignal,
  ): Promise<Answer<AskKind>> {
    const { hooks } = this.#host;
    switch (ask.kind) {
      case "input": {
        const { text, images } = ask.payload;
        const said = await hooks.input(ask.payload);
        if (!said) return { handled: true };
        return {
          handled: false,
          ...(said.text === text ? {} : { text: said.text }),
          ...(said.images === images ? {} : { images: said.images }),
        };
      }
      case "before_agent_start": {
        const { messages, systemPrompt } = await hooks.beforeAgentStart(
          ask.payload,
        );
        return {
          messages: messages.map((message) => ({ display: true, ...message })),
          ...(systemPrompt === undefined ? {} : { systemPrompt }),
        };
      }
      case "notice":
        await hooks.notify(this.#eventOf(ask.payload.event));
        return {};
      case "message_end": {
        const { message } = ask.payload;
        const kept = await hooks.messageEnd(message);
        return kept === message ? {} : { message: kept as Message };
      }
      case "tool_call": {
        const decision = await hooks.toolCall(ask.payload);
        if (decision.block) {
          const { reason, terminate } = decision;
          return { block: true, reason: cut(reason), terminate };
        }
        const { input, changedBy } = decision;
        if (changedBy.length === 0) return { block: false };
        const names = changedBy.map((name) => `"${name}"`).join(", ");
        return {
          block: false,
          args: input,
          changedBy: changedBy.length === 1
            ? `The plugin ${names}`
            : `The plugins ${names}`,
        };
      }
      case "tool_result": {
        const { result, isError, ...call } = ask.payload;
        const seen = await hooks.toolResult(call, { result, isError });
        if (seen.result === result && seen.isError === isError) return {};
        const { content, details, structuredContent, usage } = seen.result;
        return {
          ...(seen.isReplaced ? { content } : {}),
          ...(details === undefined ? {} : { details }),
          ...(structuredContent === undefined ? {} : { structuredContent }),
          ...(usage === undefined ? {} : { usage }),
          isError: seen.isError,
        };
      }
      case "context": {
        const given = this.#resolved(ask.payload.messages) as Message[];
        const sent = await hooks.context(given);
        if (sent === given) return {};
        return { messages: sent.map((message) => this.#mirror.ref(message)) };
      }
      case "headers":
        return { headers: await hooks.providerHeaders(ask.payload.headers) };
      case "body": {
        const { body } = ask.payload;
        const sent = await hooks.providerRequest(body);
        return sent === body ? {} : { body: sent };
      }
      case "session_before_compact": {
        const { messages, ...event } = ask.payload;
        const { cancel, summary } = await hooks.beforeCompact({
          ...event,
          messages: this.#resolved(messages) as Message[],
        });
        return summary === undefined ? { cancel } : { cancel, summary };
      }
      case "user_bash":
        return { ...await hooks.userBash(ask.payload) };
      case "command": {
        const { name, args } = ask.payload;
        return { isKnown: await this.#host.runCommand(name, args) };
      }
      case "reload":
        // The user wants those back that were left out.
        this.#parts.setup.plugins?.leftOut?.splice(0);
        return { ...await this.#host.reload() };
      default:
        throw new Error(`No plugin answers ${ask.kind}`);
    }
  }

  async #join(reason: "startup" | "resume"): Promise<void> {
    await this.#host.hooks.notify({ type: "session_start", reason });
    this.declareChanges();
    this.#send({ type: "ready" });
  }

  #resolved(refs: readonly (number | AgentMessage)[]): AgentMessage[] {
    return refs.map((ref) => this.#mirror.resolve(ref));
  }

  #eventOf(event: NoticeEvent): PluginEvent {
    switch (event.type) {
      case "turn_end":
        return {
          ...event,
          message: this.#mirror.resolve(event.message),
          toolResults: this.#resolved(event.toolResults),
        } as PluginEvent;
      case "agent_end":
        return { ...event, messages: this.#resolved(event.messages) };
      case "message_start":
        return { ...event, message: this.#mirror.resolve(event.message) };
      default:
        return event;
    }
  }

  #allNames(): string[] {
    const { builtIn, more } = this.#parts;
    const all = [...builtIn, ...more, ...this.definitions];
    return all.map(({ name }) => name);
  }

  #isAllowed(name: string): boolean {
    const isIt = (tool: AnyToolDefinition) => tool.name === name;
    return this.#mirror.isAllowed(name, {
      isBuiltIn: this.#parts.builtIn.some(isIt),
      isOverridden: this.definitions.some(isIt),
    });
  }

  /** As the host will: what is gone is not active any more, and what is new is. */
  #followTools(before: ReadonlySet<string>): void {
    const { activeTools } = this.#mirror.state;
    const added = this.definitions.map(({ name }) => name)
      .filter((name) => !before.has(name) && this.#isAllowed(name));
    this.#mirror.activate([...activeTools, ...added], this.#known);
  }

  #declaration(): Omit<KernelMessageOf<"declare">, "type"> {
    const { more, builtIn } = this.#parts;
    const host = this.#host;
    return {
      plugins: this.#diagnostics.map((diagnostic) => ({
        ...diagnostic,
        ...(diagnostic.reason === undefined
          ? {}
          : { reason: cut(diagnostic.reason) }),
        warnings: diagnostic.warnings.map(cut),
      })),
      tools: [
        ...more.map((definition) =>
          declared(definition, {
            isOverride: builtIn.some(({ name }) => name === definition.name),
          })
        ),
        ...host.tools.map(({ definition, plugin, isOverride }) =>
          declared(definition, { plugin: plugin.slice(0, 200), isOverride })
        ),
      ],
      commands: Array.from(host.commands, ([name, { description }]) => ({
        name,
        ...(description === undefined
          ? {}
          : { description: description.slice(0, 1024) }),
      })),
      flags: Array.from(host.flags, ([name, { type }]) => ({ name, type })),
      listens: EVENTS.filter((name) => host.hooks.has(name)),
    };
  }

  #services(): PluginServices {
    const { requests, setup, factories, token } = this.#parts;
    const programs = createLocalProgramOperations({
      cwd: setup.cwd,
      environment: setup.environment,
      killTree: (marker) => requests.kill(marker),
    });
    return {
      session: this.#session(),
      factories,
      ask: (dialog, signal) => requests.dialog(dialog, signal),
      notify: (message, { plugin, level }) =>
        this.#tell({ kind: "notice", plugin, level, message: cut(message) }),
      exec: (command, args, options) => programs.run(command, args, options),
      fetch: (url, options) => requests.fetch(url, options),
      withFileMutationQueue: (path, change) =>
        withFileMutationQueue(path, change),
      enter: token === undefined ? () => () => {} : pluginMarks(token),
    };
  }

  #session(): SessionOfPlugins {
    const { setup, requests } = this.#parts;
    const mirror = this.#mirror;
    return {
      cwd: setup.cwd,
      mode: setup.mode,
      hasUI: setup.hasUI,
      get model() {
        return mirror.state.model;
      },
      get thinkingLevel() {
        return mirror.state.thinkingLevel;
      },
      get signal() {
        return mirror.signal;
      },
      sessionManager: {
        getSessionId: () => setup.sessionId,
        getSessionFile: () => mirror.state.sessionFile ?? undefined,
        getEntries: () => structuredClone([...mirror.entries]),
      },
      isProjectTrusted: () => setup.plugins?.isProjectTrusted === true,
      isIdle: () => !mirror.state.isRunning,
      hasPendingMessages: () => mirror.state.hasQueued,
      abort: () => this.#tell({ kind: "abort" }),
      shutdown: () => this.#tell({ kind: "shutdown" }),
      compact: ({ instructions } = {}) =>
        this.#tell({
          kind: "compact",
          ...(instructions === undefined
            ? {}
            : { instructions: cut(instructions) }),
        }),
      getContextUsage: () => {
        const { model: { contextWindow }, contextTokens: tokens } =
          mirror.state;
        if (tokens === 0) return undefined;
        return { tokens, contextWindow, percent: 100 * tokens / contextWindow };
      },
      getSystemPrompt: () => mirror.state.systemPrompt,
      activeTools: () => [...mirror.state.activeTools],
      setActiveTools: (names) => {
        this.declareChanges();
        const known = this.#known;
        const allowed = names.filter((name) => this.#isAllowed(name));
        mirror.activate(allowed, known);
        this.#tell({ kind: "activate", names: mirror.state.activeTools });
      },
      allTools: () => this.#allTools(),
      sendMessage: (message, { deliverAs }) => {
        this.#tell({
          kind: "say",
          ...(deliverAs ? { deliverAs } : {}),
          message: { display: true, ...message },
        });
        mirror.noteQueued();
      },
      sendUserMessage: (content, { deliverAs }) => {
        this.#tell({
          kind: "say_as_user",
          ...(deliverAs ? { deliverAs } : {}),
          content,
        });
        mirror.noteQueued();
      },
      appendEntry: (customType, data) => {
        const entry = {
          customType,
          ...(data === undefined ? {} : { data }),
        };
        this.#tell({ kind: "keep", ...entry });
        mirror.add({ type: "custom", ...entry });
      },
      executeTool: async (call) => {
        this.declareChanges();
        return await requests.call(call);
      },
      waitForIdle: () => mirror.waitForIdle(),
    };
  }

  #allTools(): ToolSummary[] {
    const active = new Set(this.#mirror.state.activeTools);
    const served = this.#host.tools;
    const taken = new Set(served.map(({ definition }) => definition.name));
    const all: { definition: AnyToolDefinition; plugin?: string }[] = [
      ...this.#parts.builtIn.filter(({ name }) => !taken.has(name))
        .map((definition) => ({ definition })),
      ...served,
    ];
    return all.filter(({ definition }) => this.#isAllowed(definition.name))
      .map(({ definition: { name, description }, plugin }) => ({
        name,
        description,
        active: active.has(name),
        ...(plugin === undefined ? {} : { plugin }),
      }));
  }

  /** Throws where it is more than the host takes. */
  #tell(tell: Tell): void {
    const message = { type: "tell", ...tell } as KernelMessage;
    if (!isKernelMessage(message)) {
      throw new RangeError(`${tell.kind}: this is more than a session takes`);
    }
    this.#send(message);
  }

  #send(message: KernelMessage): void {
    this.#parts.send(message).catch(() => {});
  }
}

const NO_PLACES = {
  paths: [],
  folders: [],
  isProjectTrusted: false,
  inspection: undefined,
  flagValues: {},
};

function declared(
  definition: AnyToolDefinition,
  { plugin, isOverride }: { plugin?: string; isOverride: boolean },
): DeclaredTool {
  const { name, label, description, parameters, constrainedSampling } =
    definition;
  const { outputSchema, executionMode, promptSnippet, promptGuidelines } =
    definition;
  return {
    name,
    label,
    description,
    parameters,
    ...(constrainedSampling === undefined ? {} : { constrainedSampling }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(executionMode === undefined ? {} : { executionMode }),
    ...(promptSnippet === undefined ? {} : { promptSnippet }),
    ...(promptGuidelines === undefined ? {} : { promptGuidelines }),
    ...(plugin === undefined ? {} : { plugin }),
    isOverride,
    rendersCalls: definition.renderCall !== undefined,
    rendersResults: definition.renderResult !== undefined,
    validates: definition.prepareArguments !== undefined,
  } as DeclaredTool;
}

function faultOf(
  { plugin, path, during, message, stack }: PluginFault,
): Tell {
  return {
    kind: "fault",
    plugin: cut(plugin),
    path: cut(path),
    during: cut(during),
    message: cut(message),
    ...(stack === undefined ? {} : { stack: cut(stack) }),
  };
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text;
}

/** Has Deno and Node make temporary files in a folder that may be written: the system's one may not where the workspace lies below it, or the run may only read. */
function haveTempFolder(outputDir: string): void {
  const path = Deno.env.get("TMPDIR") || "/tmp";
  const { state } = Deno.permissions.querySync({ name: "write", path });
  if (state !== "granted") Deno.env.set("TMPDIR", outputDir);
}
