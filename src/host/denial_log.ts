import type {
  CapabilityReport,
  DeniedCalls,
  RefusedAccess,
  RefusedCounts,
} from "../protocol/result_schema.ts";
import type { RunEvent } from "../protocol/event_schemas.ts";

/** Different refusals that a record lists. */
const MAX_LISTED = 100;
/** Characters of a name that a kernel sent. */
const MAX_TEXT = 1000;

const WHY: Record<DeniedCalls["reason"], string> = {
  denied: "a rule denies it",
  not_approved: "the user did not approve it",
  no_approver: "nobody could approve it",
};

/** Counts what a run was kept from. */
export class DenialLog {
  readonly #denied = new Map<string, DeniedCalls>();
  readonly #attempted: RefusedCounts = { read: 0, write: 0, protected: 0 };
  #first: string | undefined;

  note(event: RunEvent): void {
    if (event.type !== "tool_denied") return;
    const { toolName, reason, rule, source } = event;
    const by = rule === undefined ? "" : `: ${rule} of ${source}`;
    this.#first ??= cut(`Denied: ${toolName}, since ${WHY[reason]}${by}`);
    const key = JSON.stringify([toolName, reason, rule, source]);
    const known = this.#denied.get(key);
    if (known) known.count++;
    else if (this.#denied.size < MAX_LISTED) {
      this.#denied.set(key, {
        toolName: cut(toolName),
        reason,
        ...(rule === undefined ? {} : { rule: cut(rule) }),
        ...(source === undefined ? {} : { source: cut(source) }),
        count: 1,
      });
    }
  }

  noteRefused(access: RefusedAccess, count: number): void {
    if (count > 0) {
      this.#first ??= access === "read"
        ? "Denied: a file tool was refused a path to read"
        : "Denied: a file tool was refused a path to write";
    }
    this.#attempted[access] += count;
  }

  /** The first thing that was denied, for people. */
  get first(): string | undefined {
    return this.#first;
  }

  report(): Pick<CapabilityReport, "denied" | "attempted" | "reportedBy"> {
    return {
      denied: [...this.#denied.values()],
      attempted: { ...this.#attempted },
      reportedBy: "kernel",
    };
  }
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
