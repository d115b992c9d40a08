import type { MirroredEntry } from "../protocol/kernel_messages.ts";
import type { SessionFile } from "../store/session_file.ts";

type SessionEntry = SessionFile["entries"][number];

/**
 * Entries of a stored session for a kernel: its messages, with their numbers,
 * and what plugins have kept. What the latest summary stands for is left out:
 * in a long session that is nearly all.
 */
export function historyOf(
  { entries }: Pick<SessionFile, "entries">,
): (MirroredEntry & { number?: number })[] {
  const isNeeded = neededEntries(entries);
  const history: (MirroredEntry & { number?: number })[] = [];
  let number = 0;
  for (const [at, entry] of entries.entries()) {
    const numbered = entry.type === "message" ? { number: number++ } : {};
    if (!isNeeded(entry, at)) continue;
    if (entry.type === "message") {
      const { type, message } = entry;
      history.push({ type, message, ...numbered });
    } else if (entry.type === "custom") {
      const { type, customType, data } = entry;
      history.push({ type, customType, ...data === undefined ? {} : { data } });
    }
  }
  return history;
}

/** Tells entries without which the session says the same to the model. */
function neededEntries(
  entries: readonly SessionEntry[],
): (entry: SessionEntry, at: number) => boolean {
  const kept = firstKept(entries);
  if (kept === undefined) return () => true;
  const latest = entries.findLastIndex(isCompaction);
  return (entry, at) => {
    if (isCompaction(entry)) return at === latest;
    if (at >= kept) return true;
    // System messages outlive a summary.
    return entry.type === "message"
      ? entry.message.role === "system"
      : entry.type !== "custom_message" && entry.type !== "branch_summary";
  };
}

/**
 * The place of the first message that the latest summary left. Undefined where
 * there is none, and in sessions that are more than what runs make: one line of
 * entries, with summaries of which each goes further than the one before.
 */
function firstKept(entries: readonly SessionEntry[]): number | undefined {
  const places = new Map(entries.map(({ id }, at) => [id, at]));
  if (places.size < entries.length) return undefined;
  let kept: number | undefined;
  for (const [at, entry] of entries.entries()) {
    if (entry.parentId !== (entries[at - 1]?.id ?? null)) return undefined;
    if (entry.type === "context_edit" && entry.replacement === null) {
      return undefined;
    }
    if (!isCompaction(entry)) continue;
    const place = places.get(entry.firstKeptEntryId) ?? -1;
    const first = entries[place];
    const isPlain = first?.type === "message" &&
      first.message.role !== "system" && place < at && !entry.systemMessage;
    if (!isPlain || place < (kept ?? 0)) return undefined;
    kept = place;
  }
  return kept;
}

function isCompaction(
  entry: SessionEntry,
): entry is Extract<SessionEntry, { type: "compaction" }> {
  return entry.type === "compaction";
}
