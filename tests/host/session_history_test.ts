import assert from "node:assert/strict";
import fc from "fast-check";
import { historyOf } from "../../src/host/session_history.ts";
import type {
  EntryContent,
  SessionEntry,
} from "../../src/session/session_entry.ts";
import { SessionProjection } from "../../src/session/session_projection.ts";

/** An entry whose links are counted backwards: 1 is the entry before it. */
interface Drawn {
  kind: "user" | "system" | "compaction" | "edit" | "custom" | "branch";
  back: number;
  /** Whether it stands behind the entry before it, or begins a branch. */
  follows: boolean;
  /** Whether a summary brings a prompt of its own. */
  hasPrompt: boolean;
}

function mostly(value: boolean): fc.Arbitrary<boolean> {
  return fc.oneof(
    { arbitrary: fc.constant(value), weight: 60 },
    { arbitrary: fc.constant(!value), weight: 1 },
  );
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  kind: fc.constantFrom(
    ...Array<"user">(8).fill("user"),
    "system",
    "compaction",
    "compaction",
    "edit",
    "custom",
    "branch",
  ),
  back: fc.integer({ min: 0, max: 9 }),
  follows: mostly(true),
  hasPrompt: mostly(false),
});

function entriesOf(all: Drawn[]): SessionEntry[] {
  return all.map((one, at) => ({
    ...contentOf(one, at),
    id: `e${at}`,
    parentId: at === 0 ? null : `e${one.follows ? at - 1 : at >> 1}`,
    timestamp: "2026-01-02T03:04:05.678Z",
  }));
}

function contentOf(
  { kind, back, hasPrompt }: Drawn,
  at: number,
): EntryContent {
  const target = `e${at - back}`;
  const prompt = { role: "system", content: `p${at}`, timestamp: at } as const;
  switch (kind) {
    case "user":
    case "system":
      return {
        type: "message",
        message: { role: kind, content: `m${at}`, timestamp: at },
      };
    case "compaction":
      return {
        type: "compaction",
        summary: `s${at}`,
        firstKeptEntryId: target,
        tokensBefore: 1,
        ...(hasPrompt ? { systemMessage: prompt } : {}),
      };
    case "edit":
      return {
        type: "context_edit",
        targetId: target,
        replacement: hasPrompt ? null : `r${at}`,
      };
    case "custom":
      return {
        type: "custom_message",
        customType: "note",
        content: `c${at}`,
        display: true,
      };
    case "branch":
      return { type: "branch_summary", fromId: target, summary: `b${at}` };
  }
}

Deno.test("historyOf() numbers messages as the whole session does, and leaves out what summaries stand for", () => {
  let least = 1;
  fc.assert(
    fc.property(fc.array(drawn, { maxLength: 30, size: "max" }), (all) => {
      const entries = entriesOf(all);
      const told = historyOf({ entries });
      const messages = entries.filter((entry) => entry.type === "message")
        .map(({ message }) => message);
      const kept = new Set<unknown>();
      for (const entry of told) {
        if (entry.type !== "message") continue;
        assert.equal(entry.message, messages[entry.number as number]);
        kept.add(entry.message);
      }
      for (const message of new SessionProjection(entries).messages) {
        assert(!messages.includes(message) || kept.has(message));
      }
      if (messages.length > 10) {
        least = Math.min(least, kept.size / messages.length);
      }
    }),
    { numRuns: 1000 },
  );
  assert(least < 0.7, `nothing was left out: ${least}`);
});

Deno.test("historyOf() leaves out what the latest summary stands for", () => {
  const user: Drawn = {
    kind: "user",
    back: 0,
    follows: true,
    hasPrompt: false,
  };
  const entries = entriesOf([
    { ...user, kind: "system" },
    ...Array(10).fill(user),
    { ...user, kind: "compaction", back: 2 },
    ...Array(10).fill(user),
    { ...user, kind: "compaction", back: 3 },
    user,
  ]);
  assert.deepEqual(
    historyOf({ entries }).map(({ number }) => number),
    [0, 18, 19, 20, 21],
  );
});
