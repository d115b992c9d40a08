import type { AgentMessage } from "../agent/agent_message.ts";
import { PATH_TOOLS } from "../policy/built_in_tools.ts";
import type {
  PluginRunEvent,
  ToolDeniedEvent,
} from "../protocol/documented_events.ts";
import type { ControlFileEvent, RunEvent } from "../protocol/event_schemas.ts";
import type { SessionEvent } from "../session/session_event.ts";
import type { ServedTool } from "../session/tool_server.ts";
import type { ControlFilePlaces } from "./control_file_scan.ts";
import { ControlFiles } from "./control_files.ts";
import { pluginLines } from "./plugin_lines.ts";
import { toRunEvent } from "./run_events.ts";
import type { RunListener, RunOptions } from "./run_options.ts";
import type { RunRecord } from "./run_record.ts";
import type { RunSession } from "./run_session.ts";
import type { RunTape } from "./run_tape.ts";

/** Parts of {@linkcode SessionEvents}. */
export interface SessionEventsParts {
  listener: RunListener;
  session?: RunSession | undefined;
  tape?: RunTape | undefined;
  /** The run that goes on, or the last one; `stopped` resolves when it must end before its time. */
  run(): { record: RunRecord; stopped: Promise<void> } | undefined;
  /** Finds the tool that renders a call. */
  find(name: string): ServedTool | undefined;
  /** Hears of each message with its number. */
  onMessage(message: AgentMessage, number: number): void;
  /** Folders in which commands may change files that start programs; undefined where nothing but the file tools can write. */
  controlFilePlaces(): ControlFilePlaces | undefined;
}

/** Keeps what a session does, tells of it, and of the files that start programs which it changed. */
export class SessionEvents {
  readonly #options: Pick<RunOptions, "updates" | "render" | "plugins">;
  readonly #parts: SessionEventsParts;
  /** Messages of the session so far. */
  #messageCount: number;
  readonly #numbers = new WeakMap<AgentMessage, number>();
  #controlFiles: ControlFiles | undefined;

  constructor(
    options: Pick<RunOptions, "updates" | "render" | "plugins">,
    parts: SessionEventsParts,
  ) {
    this.#options = options;
    this.#parts = parts;
    const stored = parts.session?.messages ?? [];
    this.#messageCount = stored.length;
    stored.forEach((message, number) => this.#numbers.set(message, number));
  }

  /** Takes an event of the session. Resolves when those who must hear of it have. */
  emit(event: SessionEvent | ToolDeniedEvent): void | Promise<void> {
    if (event.type === "message_update" && !this.#options.updates) return;
    if (event.type === "message_end") {
      const number = this.#messageCount++;
      this.#numbers.set(event.message, number);
      this.#parts.onMessage(event.message, number);
    }
    const numberOf = (message: AgentMessage) => this.#numbers.get(message);
    const rendered = this.#render(event);
    return rendered instanceof Promise
      ? rendered.then((lines) => this.#tell(toRunEvent(event, lines, numberOf)))
      : this.#tell(toRunEvent(event, rendered, numberOf));
  }

  /** Tells of something that no run waits for. */
  report(event: PluginRunEvent | (RunEvent & { type: "shell_update" })): void {
    try {
      const heard = this.#tell(event);
      if (heard) heard.catch(() => {});
    } catch {
      // Listeners hear of the end in another way.
    }
  }

  /** Looks, once, at how the files are that start programs: before anything but the file tools can change them. */
  watchControlFiles(): void {
    if (this.#controlFiles) return;
    const places = this.#parts.controlFilePlaces();
    if (places) this.#controlFiles = new ControlFiles(places);
  }

  /** Resolves when it is known how they were. */
  async controlFilesKnown(): Promise<void> {
    this.watchControlFiles();
    await this.#controlFiles?.ready;
  }

  /** Tells of those that were changed, and puts them into a record. */
  async checkControlFiles(record: RunRecord): Promise<void> {
    await this.#tellControlFiles((files) => files.lookAtAll());
    record.controlFiles = this.#controlFiles?.takeReport();
  }

  #render(
    event: SessionEvent | ToolDeniedEvent,
  ): string[] | undefined | Promise<string[] | undefined> {
    if (!this.#options.render) return undefined;
    if (event.type === "tool_execution_start") {
      const { toolCallId, toolName, args } = event;
      return this.#parts.find(toolName)?.render?.({ toolCallId, args });
    }
    if (event.type === "tool_execution_end") {
      const { toolCallId, toolName, result } = event;
      return this.#parts.find(toolName)?.render?.({ toolCallId, result });
    }
    return undefined;
  }

  /** On the disk before anybody hears of it, and before a tool runs. */
  #tell(event: RunEvent): void | Promise<void> {
    const { listener, session, tape } = this.#parts;
    // An inspection tells of plugins in another way.
    if (!this.#options.plugins?.inspection) {
      pluginLines(event).forEach((line) => listener.log(line));
    }
    const run = this.#parts.run();
    session?.note(event);
    tape?.note(event);
    run?.record.note(event);
    const heard = listener.emit(event);
    const isOfChild = event.type === "tool_execution_end" &&
      !PATH_TOOLS.includes(event.toolName);
    const looked = isOfChild
      ? this.#tellControlFiles((files) => files.lookAtTop())
      : undefined;
    if (!heard && !looked) return;
    // A stopped run does not wait for a slow listener.
    return Promise.race([Promise.all([heard, looked]), run?.stopped])
      .then(() => {});
  }

  async #tellControlFiles(
    look: (files: ControlFiles) => Promise<ControlFileEvent[]>,
  ): Promise<void> {
    if (!this.#controlFiles) return;
    for (const event of await look(this.#controlFiles)) {
      await this.#parts.listener.emit(event);
    }
  }
}
