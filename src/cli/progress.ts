import type { JsonObject } from "../model/content.ts";
import { textOf } from "../model/message.ts";
import type { RunEvent } from "../protocol/event_schemas.ts";
import type { SessionHeader } from "../session/session_entry.ts";
import { checkLines } from "./check_progress.ts";
import { controlFileLines } from "./control_file_progress.ts";
import { recoveryLine } from "./recovery_progress.ts";
import { styledLine, terminalText } from "./terminal_text.ts";

/** Tells a reader what a run does. */
export interface Progress {
  show(event: SessionHeader | RunEvent): void;
  /** The run is over; the answer comes next. */
  end(): void;
}

/** Hears one line, safe for a terminal, without its end. */
export type LineSink = (line: string) => void;

const MAX_LINES = 200;
const MAX_LINE_LENGTH = 2000;
const MAX_BRIEF_LENGTH = 200;
const MAX_BRIEF_DIFF = 20;

/** Each call and its result as the tool renders them, and what the model says between. */
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
      } else if (event.type === "check_start" || event.type === "check_end") {
        write(["", ...checkLines(event)]);
      } else if (event.type === "control_file_changed") {
        write(["", ...controlFileLines(event)]);
      } else {
        const line = recoveryLine(event);
        if (line !== undefined) write(["", `tau: ${line}`]);
      }
    },
    end() {
      if (shown) writeLine("");
    },
  };
}

/** One line a call, and one more when it fails; of a check that fails the end of its output; and how it goes on after a failed request. */
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
      } else if (event.type === "check_start" || event.type === "check_end") {
        checkLines(event).forEach(write);
      } else if (event.type === "control_file_changed") {
        const [line = "", ...diff] = controlFileLines(event);
        [line.replace(/^tau: /, ""), ...diff.slice(0, MAX_BRIEF_DIFF)]
          .forEach(write);
      } else {
        const line = recoveryLine(event);
        if (line !== undefined) write(line);
      }
    },
    end: () => {},
  };
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
