import type { RunEvent } from "../../protocol/event_schemas.ts";
import type { RunResult } from "../../protocol/result_schema.ts";
import { createFullProgress, type Progress } from "../progress.ts";
import { terminalText } from "../terminal_text.ts";
import { AnswerLines } from "./answer_lines.ts";

const MAX_ECHOED_LINES = 50;
const MAX_ECHOED_LENGTH = 2000;

/** Shows lines, which are safe for a terminal. */
export interface LineScreen {
  readonly width: number;
  print(lines: readonly string[]): void;
}

/** Shows what happens in a conversation as lines. */
export class ConversationView {
  readonly #screen: LineScreen;
  readonly #color: boolean;
  readonly #answer: AnswerLines;
  /** Output of commands of the user. */
  readonly #shell: AnswerLines;
  readonly #tools: Progress;
  #isAnswering = false;

  constructor(screen: LineScreen, { color }: { color: boolean }) {
    this.#screen = screen;
    this.#color = color;
    const writeLine = (line: string) => screen.print([line]);
    this.#answer = new AnswerLines(writeLine, () => screen.width - 1);
    this.#shell = new AnswerLines(writeLine, () => screen.width - 1);
    this.#tools = createFullProgress(writeLine, { color });
  }

  show(event: RunEvent): void {
    switch (event.type) {
      case "message_update": {
        const step = event.assistantMessageEvent;
        if (step.type !== "text_delta") break;
        if (!this.#isAnswering) this.#screen.print([""]);
        this.#isAnswering = true;
        this.#answer.push(step.delta);
        break;
      }
      case "message_end":
        // Every piece of an answer was shown as it came.
        this.#answer.end();
        this.#isAnswering = false;
        break;
      case "shell_update":
        this.#shell.push(event.delta);
        break;
      default:
        this.#tools.show(event);
    }
  }

  /** A command of the user is through. */
  endShell(): void {
    this.#shell.end();
    this.#screen.print([""]);
  }

  /** Shows the outcome of a run. */
  end(result: RunResult): void {
    const { status, error, turns, usage, durationMs } = result;
    if (status !== "completed") {
      this.note(error?.message ?? `Run ended: ${status.replaceAll("_", " ")}`);
    }
    const cost = usage.cost.total > 0
      ? [`$${usage.cost.total.toFixed(4)}`]
      : [];
    const facts = [
      `${turns} ${turns === 1 ? "turn" : "turns"}`,
      `${usage.totalTokens} tokens`,
      ...cost,
      `${(durationMs / 1000).toFixed(1)} s`,
    ];
    this.#screen.print([this.#dim(`(${facts.join(", ")})`), ""]);
  }

  /** Something that tau itself has to say. */
  note(text: string): void {
    this.#screen.print(
      terminalText(text).split("\n").map((line) => `tau: ${line}`),
    );
  }

  /** Shows a message of the user. */
  echo(mark: string, text: string): void {
    const [first = "", ...rest] = bounded(terminalText(text).split("\n"));
    this.#screen.print([
      this.#dim(`${mark} ${first}`),
      ...rest.map((line) => this.#dim(`  ${line}`)),
    ]);
  }

  #dim(line: string): string {
    return this.#color ? `\x1b[2m${line}\x1b[0m` : line;
  }
}

function bounded(lines: readonly string[]): string[] {
  const shown = lines.slice(0, MAX_ECHOED_LINES).map((line) =>
    line.length > MAX_ECHOED_LENGTH
      ? `${line.slice(0, MAX_ECHOED_LENGTH)}…`
      : line
  );
  const left = lines.length - shown.length;
  return left > 0 ? [...shown, `… ${left} lines more`] : shown;
}
