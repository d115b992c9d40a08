import type { JsonObject } from "../model/content.ts";
import { textOf } from "../model/message.ts";
import type { RunEvent } from "../protocol/event_schemas.ts";
import type { SessionHeader } from "../session/session_entry.ts";
import { styledLine, terminalText } from "./terminal_text.ts";

/** Shows people what a run does. */
export interface Progress {
  show(event: SessionHeader | RunEvent): void;
  /** The run is over; the answer comes next. */
  end(): void;
}

/** Gets one line, safe for a terminal, without its end. */
export type LineSink = (line: string) => void;

const MAX_LINES = 200;
const MAX_LINE_LENGTH = 2000;
const MAX_BRIEF_LENGTH = 200;
const MAX_BRIEF_LINES = 21;
/** Lines of the output of a failed check; the last says how it ended. */
const CHECK_LINES = 10;

/** Each call and its result as the tool renders them, what the model says between, and notices. */
export function createFullProgress(
  writeLine: LineSink,
  { color }: { color: boolean },
): Progress {
  /** First lines of the calls that have not ended. */
  const open = new Map<string, string>();
  let lastStarted: string | undefined;
  let shown = false;
  const write = (lines: readonly string[]) => {
    shown = true;
    for (const line of bounded(lines)) {
      writeLine(color ? styledLine(line) : terminalText(line));
    }
  };
  return {
    show(event) {
      if (event.type === "message_end") {
        const { message } = event;
        if (message.role !== "assistant") return;
        const text = textOf(message.content).trim();
        // The last message is the answer, which is not progress.
        if (text !== "" && message.stopReason === "toolUse") {
          write(["", ...text.split("\n")]);
        }
      } else if (event.type === "tool_execution_start") {
        const lines = event.rendered ?? [plainCall(event.toolName, event.args)];
        open.set(event.toolCallId, lines[0] ?? event.toolName);
        lastStarted = event.toolCallId;
        write(["", ...lines]);
      } else if (event.type === "tool_execution_end") {
        // Results of calls that ran beside each other are told apart by a repeated title.
        const title = event.toolCallId === lastStarted
          ? []
          : ["", open.get(event.toolCallId) ?? event.toolName];
        open.delete(event.toolCallId);
        lastStarted = open.size === 0 ? undefined : lastStarted;
        const lines = event.rendered ??
          textOf(event.result.content).split("\n");
        write([...title, ...lines]);
      } else {
        const [first, ...more] = noticeOf(event);
        if (first !== undefined) write(["", `tau: ${first}`, ...more]);
      }
    },
    end() {
      if (shown) writeLine("");
    },
  };
}

/** One line for each call and each failure, and the notices of a run. */
export function createBriefProgress(writeLine: LineSink): Progress {
  const write = (text: string) => {
    const line = text.split("\n", 1)[0] ?? "";
    writeLine(
      `tau: ${
        terminalText(
          line.length > MAX_BRIEF_LENGTH
            ? `${line.slice(0, MAX_BRIEF_LENGTH)}…`
            : line,
        )
      }`,
    );
  };
  return {
    show(event) {
      if (event.type === "tool_execution_start") {
        write(event.rendered?.[0] ?? plainCall(event.toolName, event.args));
      } else if (event.type === "tool_execution_end" && event.isError) {
        const text = textOf(event.result.content).trim();
        write(`${event.toolName} failed: ${text}`);
      } else {
        noticeOf(event).slice(0, MAX_BRIEF_LINES).forEach(write);
      }
    },
    end: () => {},
  };
}

/**
 * Lines about what a run does beside messages and calls: checks, requests that
 * are made again, summaries, changed control files. Not made safe for a
 * terminal.
 */
function noticeOf(event: SessionHeader | RunEvent): string[] {
  switch (event.type) {
    case "check_start":
      return [`check: ${event.command}`];
    case "check_end":
      return event.passed
        ? ["check passed"]
        : ["check failed", ...linesIn(event.output).slice(-CHECK_LINES)];
    case "control_file_changed": {
      const { path, change, diff = "" } = event;
      return [
        `this run ${change} ${path}, which can start programs or change permissions`,
        ...linesIn(diff),
      ];
    }
    case "auto_retry_start": {
      const { attempt, maxAttempts, delayMs, errorMessage } = event;
      const seconds = (delayMs / 1000).toFixed(1);
      return [
        `retry ${attempt} of ${maxAttempts} in ${seconds} s: ${errorMessage}`,
      ];
    }
    case "compaction_start":
      return [
        event.reason === "overflow"
          ? "the request was too long: summarising the conversation"
          : "the conversation is long: summarising its beginning",
      ];
    case "compaction_end":
      return event.errorMessage === undefined
        ? []
        : [`no summary: ${event.errorMessage}`];
    default:
      return [];
  }
}

function linesIn(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}

function plainCall(toolName: string, args: JsonObject): string {
  return `${toolName} ${JSON.stringify(args)}`;
}

/** Lines that are lines, and not too many of them: who rendered them is not trusted. */
function bounded(lines: readonly string[]): string[] {
  const single = lines.slice(0, MAX_LINES + 1).flatMap((line) =>
    line.split("\n")
  );
  const kept = single.slice(0, MAX_LINES).map((line) =>
    line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line
  );
  return single.length > MAX_LINES ? [...kept, "…"] : kept;
}
