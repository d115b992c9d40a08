import { emptyUsage, textOf, type Usage } from "../model/mod.ts";
import {
  EXIT_CODES,
  type RunEvent,
  type RunFacts,
  type RunOutcome,
  type RunResult,
  type SandboxReport,
  type SessionHeader,
  statusOf,
} from "../protocol/mod.ts";

/** Gathers what is known of a run and makes its terminal record. */
export class RunRecord {
  readonly sessionId: string;
  readonly cwd: string;
  readonly facts: RunFacts = {};
  model = "";
  usage: Usage = emptyUsage();
  sandbox: SandboxReport = {
    children: "unconfined",
    kernel: { read: [], write: [], net: false },
  };
  readonly #startMs = performance.now();
  #text = "";
  #turns = 0;
  #toolCalls = 0;
  #failedToolCalls = 0;
  #isComplete = false;

  constructor({ sessionId, cwd }: { sessionId: string; cwd: string }) {
    this.sessionId = sessionId;
    this.cwd = cwd;
  }

  header(): SessionHeader {
    const { sessionId: id, cwd } = this;
    const timestamp = new Date().toISOString();
    return { type: "session", version: 3, id, timestamp, cwd };
  }

  note(event: RunEvent): void {
    if (event.type === "tool_execution_end") {
      this.#toolCalls++;
      if (event.isError) this.#failedToolCalls++;
    }
    if (event.type !== "message_end") return;
    if (event.message.role !== "assistant") return;
    this.#turns++;
    const text = textOf(event.message.content);
    if (text !== "") this.#text = text;
  }

  noteOutcome(outcome: RunOutcome): void {
    const { facts } = this;
    switch (outcome.kind) {
      case "limit":
        facts.limit = outcome.limit;
        break;
      case "model_error":
        facts.modelError = {
          kind: outcome.errorKind,
          message: outcome.message,
        };
        break;
      case "usage_error":
        facts.usageError = outcome.message;
        break;
      case "failed":
        facts.internalError = outcome.message;
        break;
      case "aborted":
        facts.internalError = "The run was aborted from inside";
        break;
      case "completed":
        this.#isComplete = true;
    }
  }

  /** The record. A run of which nothing is known has not completed. */
  finish(): RunResult {
    const { facts, sessionId, cwd, model, usage, sandbox } = this;
    if (!this.#isComplete && statusOf(facts) === "completed") {
      facts.internalError = "The run ended without saying how";
    }
    const status = statusOf(facts);
    return {
      type: "result",
      version: 1,
      status,
      exitCode: EXIT_CODES[status],
      text: this.#text,
      ...(status === "completed"
        ? {}
        : { error: { kind: status, message: messageOf(facts) } }),
      sessionId,
      cwd,
      model,
      turns: this.#turns,
      toolCalls: this.#toolCalls,
      failedToolCalls: this.#failedToolCalls,
      usage,
      durationMs: Math.round(performance.now() - this.#startMs),
      sandbox,
    };
  }
}

/** What happened, for people; the same order of precedence as the status. */
function messageOf(facts: RunFacts): string {
  if (facts.stoppedBy) {
    return {
      interrupted: "Interrupted (SIGINT)",
      terminated: "Terminated (SIGTERM)",
      hung_up: "The terminal hung up (SIGHUP)",
    }[facts.stoppedBy];
  }
  if (facts.stdoutClosed) return "Nobody reads the output any more";
  if (facts.kernelFailure !== undefined) return facts.kernelFailure;
  if (facts.timedOut) return "The run took longer than --timeout allows";
  if (facts.limit === "turn_limit") {
    return "The run reached the limit of --max-turns";
  }
  if (facts.limit === "output_limit") {
    return "The answer is cut off: the model reached its output token limit";
  }
  return facts.modelError?.message ?? facts.usageError ??
    facts.internalError ?? "";
}
