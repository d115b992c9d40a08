import { emptyUsage, textOf, type Usage } from "../model/message.ts";
import type { StructuredAnswer } from "../model/structured_answer.ts";
import type { JsonSchema } from "../model/tool.ts";
import type { RunEvent } from "../protocol/event_schemas.ts";
import type {
  GrantedCapabilities,
  KernelDeaths,
  RunResult,
  SandboxReport,
} from "../protocol/result_schema.ts";
import {
  EXIT_CODES,
  type RunFacts,
  type RunStatus,
  statusOf,
} from "../protocol/exit_codes.ts";
import { NOTHING_GRANTED } from "../protocol/run_result.ts";
import type { GoalSetup } from "../session/create_goals.ts";
import type { RunOutcome } from "../session/run_outcome.ts";
import type { SessionHeader } from "../session/session_entry.ts";
import { DenialLog } from "./denial_log.ts";

/** Tools that the failure of a kernel names. */
const MAX_BLAMED = 5;

/** Ends of kernels that a record lists. */
const MAX_DEATHS = 20;

/** Goals of a run beside an answer. */
export interface RunGoals extends Pick<GoalSetup, "check"> {
  /** The answer must fit it. */
  answerSchema?: AnswerSchema | undefined;
}

/** The schema of an answer, and what reads it: where no run has one, nobody loads that. */
export interface AnswerSchema {
  /** One that `checkSchema` takes. */
  schema: JsonSchema;
  /** `readStructuredAnswer` with this schema. */
  read(answer: string): StructuredAnswer;
}

/** The goals as data. */
export function goalSetup({ check, answerSchema }: RunGoals): GoalSetup {
  return { check, answerSchema: answerSchema?.schema };
}

/** Gathers what is known of a run and makes its terminal record. */
export class RunRecord {
  readonly sessionId: string;
  readonly cwd: string;
  readonly facts: RunFacts = {};
  model = "";
  usage: Usage = emptyUsage();
  session: RunResult["session"] = { stored: false };
  sandbox: SandboxReport = { requested: "auto", state: "unconfined" };
  granted: GrantedCapabilities = NOTHING_GRANTED;
  /** Refusals of the run. */
  readonly denials = new DenialLog();
  controlFiles: RunResult["controlFiles"];
  /** Kernels that ended before they should. */
  readonly kernels: KernelDeaths = [];
  readonly #failOnDenied: boolean;
  readonly #answerSchema: AnswerSchema | undefined;
  readonly #startMs = performance.now();
  #text = "";
  #turns = 0;
  #toolCalls = 0;
  #failedToolCalls = 0;
  /** Names of the tools whose calls are open, by the call. */
  readonly #running = new Map<string, string>();
  #isComplete = false;

  constructor(
    { sessionId, cwd, goals, failOnDenied = false }: {
      sessionId: string;
      cwd: string;
      goals?: RunGoals | undefined;
      failOnDenied?: boolean | undefined;
    },
  ) {
    this.sessionId = sessionId;
    this.cwd = cwd;
    this.#answerSchema = goals?.answerSchema;
    this.#failOnDenied = failOnDenied;
  }

  header(): SessionHeader {
    const { sessionId: id, cwd } = this;
    const timestamp = new Date().toISOString();
    return { type: "session", version: 3, id, timestamp, cwd };
  }

  note(event: RunEvent): void {
    this.denials.note(event);
    if (event.type === "tool_execution_start") {
      this.#running.set(event.toolCallId, event.toolName);
    }
    if (event.type === "tool_execution_end") {
      this.#running.delete(event.toolCallId);
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
      case "goal_missed":
        if (outcome.goal === "schema") facts.schemaFailure = outcome.message;
        else facts.checkFailure = outcome.message;
        break;
      case "usage_error":
        facts.usageError = outcome.message;
        break;
      case "failed":
        facts.internalError = outcome.message;
        break;
      case "aborted":
        facts.internalError = "A plugin stopped the run";
        break;
      case "completed":
        this.#isComplete = true;
    }
  }

  /** The record. A run of which nothing is known has not completed. */
  finish(): RunResult {
    const { facts, sessionId, session, cwd, model, usage, sandbox } = this;
    if (!this.#isComplete && statusOf(facts) === "completed") {
      facts.internalError = "The run ended without saying how";
    }
    const { first } = this.denials;
    if (this.#failOnDenied && first !== undefined) facts.denial = first;
    const structured = this.#readStructured();
    const status = statusOf(facts);
    return {
      type: "result",
      version: 1,
      status,
      exitCode: EXIT_CODES[status],
      text: this.#text,
      ...(structured === undefined ? {} : { structured: structured.value }),
      ...(status === "completed"
        ? {}
        : { error: { kind: status, message: this.#message(status) } }),
      sessionId,
      session,
      cwd,
      model,
      turns: this.#turns,
      toolCalls: this.#toolCalls,
      failedToolCalls: this.#failedToolCalls,
      usage,
      durationMs: Math.round(performance.now() - this.#startMs),
      sandbox,
      capabilities: { granted: this.granted, ...this.denials.report() },
      ...(this.kernels.length > 0
        ? { kernels: this.kernels.slice(0, MAX_DEATHS) }
        : {}),
      ...(this.controlFiles ? { controlFiles: this.controlFiles } : {}),
    };
  }

  /** Facts about the run; of a kernel that failed also the tools that may be to blame. */
  #message(status: RunStatus): string {
    const message = messageOf(this.facts);
    if (status !== "kernel_failed" || this.#running.size === 0) return message;
    const names = [...new Set(this.#running.values())].slice(0, MAX_BLAMED)
      .map((name) => JSON.stringify(name.slice(0, 64))).join(", ");
    // Last words take lines of their own.
    return message.includes("\n")
      ? `${message}\nIt was running ${names}`
      : `${message}; it was running ${names}`;
  }

  /** The value of the answer; read here, since what a kernel says of it is not trusted. */
  #readStructured(): Extract<StructuredAnswer, { value: unknown }> | undefined {
    const { facts } = this;
    if (!this.#answerSchema || statusOf(facts) !== "completed") {
      return undefined;
    }
    const answer = this.#answerSchema.read(this.#text);
    if (!answer.faults) return answer;
    facts.schemaFailure = `The answer does not fit the output schema: ${
      answer.faults[0]
    }`;
    return undefined;
  }
}

const LIMIT_MESSAGES: Record<NonNullable<RunFacts["limit"]>, string> = {
  turn_limit: "The run reached the limit of --max-turns",
  tool_call_limit: "The run reached the limit of --max-tool-calls",
  repeat_limit:
    "The model made the same call with the same result again and again, as often as --max-repeats allows",
  budget_limit: "The run reached the limit of --max-budget-usd",
  output_limit:
    "The answer is cut off: the model reached its output token limit",
};

/** Says what happened, for people; the same order of precedence as the status. */
function messageOf(facts: RunFacts): string {
  if (facts.stoppedBy) {
    return {
      interrupted: "Interrupted (SIGINT)",
      terminated: "Terminated (SIGTERM)",
      hung_up: "The terminal hung up (SIGHUP)",
    }[facts.stoppedBy];
  }
  if (facts.stdoutClosed) return "Nothing reads the output any more";
  if (facts.kernelFailure !== undefined) return facts.kernelFailure;
  if (facts.timedOut) return "The run took longer than --timeout allows";
  if (facts.limit) return LIMIT_MESSAGES[facts.limit];
  if (facts.modelError?.kind) return facts.modelError.message;
  return facts.sandboxFailure ?? facts.denial ?? facts.schemaFailure ??
    facts.checkFailure ?? facts.usageError ??
    facts.modelError?.message ?? facts.internalError ?? "";
}
