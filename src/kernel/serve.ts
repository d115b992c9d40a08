import { abortReason } from "../model/abort_reason.ts";
import type { AgentToolResult } from "../agent/agent_tool.ts";
import { errorText } from "../agent/error_text.ts";
import { isNonRecoverableToolError } from "../agent/non_recoverable_tool_error.ts";
import { ToolError } from "../agent/tool_error.ts";
import type { JsonObject, UserContent } from "../model/content.ts";
import {
  validateToolArguments,
  validateValue,
} from "../model/validate_arguments.ts";
import { withoutUndefined } from "../model/without_undefined.ts";
import type {
  AskMessage,
  CallMessage,
  HostMessage,
  KernelSetup,
} from "../protocol/kernel_messages.ts";
import type {
  Answer,
  AskKind,
  KernelMessage,
} from "../protocol/kernel_protocol.ts";
import type { AnyToolDefinition } from "../sdk/tool_definition.ts";
import { plainTheme, terminalTheme } from "../sdk/theme.ts";
import type { ToolFactories } from "../sdk/tool_factories.ts";
import { resolveRealPath } from "../operations/guarded_paths.ts";
import { loadImplementations } from "../tools/factories.ts";
import { resolvePath } from "../tools/resolve_path.ts";
import { builtInTools, createToolFactories } from "./built_in_tools.ts";
import type { HostLink } from "./host_link.ts";
import { HostRequests } from "./host_requests.ts";
import type { PluginSession } from "./plugin_session.ts";
import { RefusalReporter } from "./refusal_reporter.ts";

/**
 * Serves the tools and plugins of a session and resolves when the host is gone.
 * `more` are tools of the program beside the built-in ones.
 */
export async function serve(
  link: HostLink,
  { more = [] }: { more?: readonly AnyToolDefinition[] } = {},
): Promise<void> {
  let kernel: Kernel | undefined;
  for await (const message of link.messages) {
    if (message.type === "start") {
      kernel = new Kernel(message.setup, link, more);
    } else if (!kernel) throw new Error("the host sent no setup");
    else if (message.type === "close") return await kernel.close();
    else kernel.take(message);
  }
  await kernel?.hostIsGone();
}

/** A call that runs. */
interface OpenCall {
  abort: AbortController;
  /** Resolves when all that it started is dead. */
  done: Promise<void>;
}

/** Calls that are shown and have no result yet; some never get one. */
const MAX_RENDER_STATES = 256;
/** Milliseconds for calls to kill their commands when the host is gone. */
const LAST_KILLS_MS = 3000;

class Kernel {
  readonly #setup: KernelSetup;
  readonly #link: HostLink;
  readonly #requests: HostRequests;
  readonly #builtIn: readonly AnyToolDefinition[];
  readonly #more: readonly AnyToolDefinition[];
  readonly #calls = new Map<number, OpenCall>();
  readonly #asks = new Map<number, AbortController>();
  /** The `state` of renderers by the id of the call, until its result is shown. */
  readonly #renderStates = new Map<string, unknown>();
  #plugins: PluginSession | undefined;
  /** Messages to plugins that are still being loaded. */
  #early: HostMessage[] | undefined;

  constructor(
    setup: KernelSetup,
    link: HostLink,
    more: readonly AnyToolDefinition[],
  ) {
    this.#setup = setup;
    this.#link = link;
    this.#more = more;
    this.#requests = new HostRequests((message) => link.send(message));
    const refusals = new RefusalReporter((message) => link.send(message));
    const factories = createToolFactories(setup, {
      killCall: (marker) => this.#requests.kill(marker),
      onRefused: (access) => refusals.note(access),
    });
    this.#builtIn = builtInTools(factories);
    this.#send({ type: "hello", version: 1 });
    if (setup.plugins || more.length > 0) {
      this.#early = [];
      this.#load(factories).catch(() => Deno.exit(1));
    } else {
      // The work of tools is loaded while the model thinks.
      loadImplementations().catch(() => {});
    }
  }

  take(message: HostMessage): void {
    switch (message.type) {
      case "ping":
        return this.#send({ type: "pong", n: message.n });
      case "reply":
      case "progress":
        return this.#requests.take(message);
      case "cancel":
        return this.#calls.get(message.callId)?.abort.abort(abortReason());
      case "cancel_ask":
        return this.#asks.get(message.askId)?.abort(abortReason());
      case "call":
        return this.#begin(message);
      case "ask":
        this.#answer(message);
        return;
      default:
        if (this.#early) this.#early.push(message);
        else this.#plugins?.take(message);
    }
  }

  /** Lets plugins hear of the end. */
  async close(): Promise<void> {
    this.#abortAll();
    await this.#plugins?.close();
  }

  /** Ends what calls have started: nobody else will. */
  async hostIsGone(): Promise<void> {
    this.#abortAll();
    this.#requests.close();
    const calls = [...this.#calls.values()].map(({ done }) => done);
    if (calls.length === 0) return;
    await Promise.race([
      Promise.all(calls),
      new Promise((resolve) => setTimeout(resolve, LAST_KILLS_MS)),
    ]);
  }

  async #load(factories: ToolFactories): Promise<void> {
    const { PluginSession } = await import("./plugin_session.ts");
    const plugins = new PluginSession({
      setup: this.#setup,
      token: this.#link.token,
      requests: this.#requests,
      factories,
      builtIn: this.#builtIn,
      more: this.#more,
      send: (message) => this.#link.send(message),
    });
    await plugins.load();
    this.#plugins = plugins;
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const message of early) plugins.take(message);
  }

  #begin(call: CallMessage): void {
    const abort = new AbortController();
    const done = this.#run(call, abort.signal)
      .finally(() => this.#calls.delete(call.callId));
    this.#calls.set(call.callId, { abort, done });
  }

  async #run(call: CallMessage, signal: AbortSignal): Promise<void> {
    const { callId } = call;
    try {
      const result = await this.#execute(call, signal);
      this.#plugins?.declareChanges();
      this.#send({ type: "result", callId, result });
    } catch (error) {
      const isAborted = signal.aborted &&
        (error === signal.reason ||
          error instanceof DOMException && error.name === "AbortError");
      this.#plugins?.declareChanges();
      this.#send({
        type: "result",
        callId,
        error: {
          kind: isAborted
            ? "aborted"
            : isNonRecoverableToolError(error)
            ? "fatal"
            : "tool",
          message: errorText(error).slice(0, MAX_ERROR),
        },
      });
    }
  }

  async #execute(
    { callId, tool, toolCallId, args, from, ...call }: CallMessage,
    signal: AbortSignal,
  ): Promise<AgentToolResult> {
    const definition = this.#find(tool, from);
    const { cwd } = this.#setup;
    if (call.realPath !== undefined && from === "built_in") {
      await this.#assertUnmoved(args.path, call.realPath);
    }
    const { sessionEnvironment, hasUpdates } = call;
    let isOver = false;
    const result = await definition.execute(
      toolCallId,
      args,
      signal,
      hasUpdates
        ? (partial: AgentToolResult) => {
          if (isOver) return;
          this.#send({ type: "update", callId, result: plain(partial) });
        }
        : undefined,
      withoutUndefined({ cwd, sessionEnvironment, signal }),
    ).finally(() => isOver = true);
    if (from === "built_in") return plain(result);
    checkStructured(definition, result);
    const { content, ...rest } = plain(result);
    return { ...rest, content: await fitImages(content) };
  }

  /** Throws where a path leads elsewhere than to where it was judged: in this file system, or by now. */
  async #assertUnmoved(path: unknown, judged: string): Promise<void> {
    const { cwd, homeDir } = this.#setup;
    const written = resolvePath(typeof path === "string" ? path : ".", {
      cwd,
      homeDir,
    });
    let real = written;
    try {
      real = (await resolveRealPath(written, Deno)).path;
    } catch {
      // A path that cannot be followed is refused when it is opened.
    }
    if (real === judged) return;
    throw new ToolError(
      `Not run: ${
        JSON.stringify(written)
      } leads elsewhere than when the rules were asked about it; try again`,
    );
  }

  #find(name: string, from: CallMessage["from"]): AnyToolDefinition {
    const tools = from === "built_in"
      ? this.#builtIn
      : this.#plugins?.served ?? [];
    const tool = tools.find((tool) => tool.name === name);
    if (tool) return tool;
    throw new ToolError(`Tool ${name} not found`);
  }

  async #answer(ask: AskMessage): Promise<void> {
    const { askId, kind } = ask;
    const abort = new AbortController();
    this.#asks.set(askId, abort);
    try {
      const value = await this.#valueOf(ask, abort.signal);
      this.#plugins?.declareChanges();
      const answer = { type: "answer", askId, kind, value } as KernelMessage;
      this.#plugins?.check(answer);
      this.#send(answer);
    } catch (error) {
      const message = errorText(error).slice(0, MAX_ERROR);
      this.#plugins?.declareChanges();
      this.#send({ type: "answer", askId, kind: "failed", error: message });
    }
    this.#asks.delete(askId);
  }

  async #valueOf(
    ask: AskMessage,
    signal: AbortSignal,
  ): Promise<Answer<AskKind>> {
    switch (ask.kind) {
      case "probe": {
        const { probeRings } = await import("./probe_rings.ts");
        const report = await probeRings(ask.payload.targets, this.#setup);
        // The first request is on its way: for a while nothing waits for this process.
        loadImplementations().catch(() => {});
        return { report };
      }
      case "image":
        return { content: await fitImages(ask.payload.content) };
      case "validate": {
        const { tool: name, raw } = ask.payload;
        const tool = this.#find(name, "declared");
        const prepared = tool.prepareArguments?.(structuredClone(raw));
        const call = { arguments: raw };
        return { args: validateToolArguments(tool, call, prepared) };
      }
      case "render":
        return withoutUndefined({ lines: await this.#render(ask.payload) });
      default:
        if (!this.#plugins) throw new Error("There are no plugins");
        return await withFitImages(await this.#plugins.answer(ask, signal));
    }
  }

  async #render(
    { tool, shown, width, color }: Extract<
      AskMessage,
      { kind: "render" }
    >["payload"],
  ): Promise<string[] | undefined> {
    const definition = this.#find(tool, "declared");
    const theme = color ? terminalTheme : plainTheme;
    const state = this.#stateOf(shown);
    const context = { cwd: this.#setup.cwd, width, state };
    const options = { expanded: false, isPartial: false };
    return await ("args" in shown
      ? definition.renderCall?.(shown.args as JsonObject, theme, context)
      : definition.renderResult?.(shown.result, options, theme, context));
  }

  /** The same object for a call and its result. */
  #stateOf(shown: { toolCallId: string } & object): unknown {
    const { toolCallId } = shown;
    const state = this.#renderStates.get(toolCallId) ?? {};
    this.#renderStates.delete(toolCallId);
    if ("args" in shown) this.#renderStates.set(toolCallId, state);
    const [oldest] = this.#renderStates.keys();
    if (oldest !== undefined && this.#renderStates.size > MAX_RENDER_STATES) {
      this.#renderStates.delete(oldest);
    }
    return state;
  }

  #abortAll(): void {
    const reason = abortReason();
    for (const { abort } of this.#calls.values()) abort.abort(reason);
    for (const abort of this.#asks.values()) abort.abort(reason);
  }

  /** The host is gone where this fails, which is noticed elsewhere. */
  #send(message: KernelMessage): void {
    this.#link.send(message).catch(() => {});
  }
}

/** The same blocks with images that a provider takes. */
async function fitImages(content: UserContent[]): Promise<UserContent[]> {
  if (content.every(({ type }) => type === "text")) return content;
  const { inlineImages } = await import("./inline_images.ts");
  return await inlineImages(content) as UserContent[];
}

/** The same answer of a hook; one that replaced a result may have put images into it. */
async function withFitImages<Kind extends AskKind>(
  answer: Answer<Kind>,
): Promise<Answer<Kind>> {
  if (!("content" in answer) || !Array.isArray(answer.content)) return answer;
  const content = await fitImages(answer.content as UserContent[]);
  return { ...answer, content };
}

/** Characters of an error. */
const MAX_ERROR = 1024 * 1024;

/** A result of nothing but what a result may hold: a tool need not be typed. */
function plain(given: AgentToolResult | undefined): AgentToolResult {
  const { content, details, structuredContent, usage } = given ??
    {} as Partial<AgentToolResult>;
  return withoutUndefined({
    content: Array.isArray(content) ? content : [],
    details,
    structuredContent,
    usage,
    isError: given?.isError === true || undefined,
    terminate: given?.terminate === true || undefined,
  });
}

function checkStructured(
  { name, outputSchema }: AnyToolDefinition,
  { isError, structuredContent }: AgentToolResult,
): void {
  if (!outputSchema || isError || structuredContent === undefined) return;
  const [fault] = validateValue(outputSchema, structuredContent);
  if (!fault) return;
  throw new ToolError(
    `Tool "${name}" returned structured content that does not match its output schema: ${fault.path}: ${fault.message}`,
  );
}
