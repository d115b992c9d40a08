import type { CanonicalRequest } from "./recording/canonical_request.ts";
import { commonMessages, type Exchange } from "./recording.ts";

/** Exchanges that are looked at for the nearest one. */
const MAX_CANDIDATES = 1000;
/** Characters of each side that are compared. */
const MAX_COMPARED = 50_000;
/** Lines of a difference that are shown. */
const MAX_LINES = 60;
/** Lines in a row that are alike in being added or removed. */
const MAX_RUN = 8;
/** Characters of such a line. */
const MAX_LINE_LENGTH = 300;
const DIFF_MS = 1000;

/** Says how a request differs from the nearest one that the recording answers. */
export async function describeMiss(
  request: CanonicalRequest,
  { place, name, exchanges }: {
    /** Counts the requests of the run from 1. */
    place: number;
    /** Name of the recording. */
    name: string;
    exchanges: readonly Exchange[];
  },
): Promise<string> {
  const nearest = nearestTo(request, { place, exchanges });
  if (!nearest) return `"${name}" has no answer to any request`;
  const difference = await differenceOf(nearest.request, request);
  return `"${name}" has no answer to request ${place}; the nearest that it answers, in line ${nearest.line}, is different:\n${difference}`;
}

/** The exchange that goes the longest way together with a request; of several the one that is as long, then the one in its place. */
function nearestTo(
  request: CanonicalRequest,
  { place, exchanges }: { place: number; exchanges: readonly Exchange[] },
): Exchange | undefined {
  let nearest: Exchange | undefined;
  let best = -Infinity;
  for (
    const [index, exchange] of exchanges.slice(0, MAX_CANDIDATES).entries()
  ) {
    const { settings, messages } = exchange.request;
    const score = 2 * commonMessages(exchange.request, request) -
      Math.abs(messages.length - request.messages.length) +
      (settings === request.settings ? 0.5 : 0) +
      (index === place - 1 ? 0.25 : 0);
    if (score <= best) continue;
    best = score;
    nearest = exchange;
  }
  return nearest;
}

/** A unified diff from the first message that differs, cut to what can be read. */
async function differenceOf(
  recorded: CanonicalRequest,
  received: CanonicalRequest,
): Promise<string> {
  const same = commonMessages(recorded, received);
  const [was, is] = [recorded, received].map(({ settings, messages }) =>
    [
      ...(recorded.settings === received.settings ? [] : [settings]),
      ...messages.slice(same),
    ].map((json) => readable(JSON.parse(json)).join("\n")).join("\n\n")
      .slice(0, MAX_COMPARED) + "\n"
  ) as [string, string];
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff");
  const patch = createTwoFilesPatch("recorded", "received", was, is, "", "", {
    context: 2,
    timeout: DIFF_MS,
    headerOptions: FILE_HEADERS_ONLY,
  }) ?? `recorded:\n${was}\nreceived:\n${is}`;
  const lines = shortRuns(patch.trimEnd().split("\n")).map((line) =>
    line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line
  );
  return lines.length > MAX_LINES
    ? [
      ...lines.slice(0, MAX_LINES),
      `… and ${lines.length - MAX_LINES} lines more`,
    ].join("\n")
    : lines.join("\n");
}

/** Keeps the first and the last of many lines in a row that are all added, or all removed. */
function shortRuns(lines: readonly string[]): string[] {
  const short: string[] = [];
  for (let at = 0; at < lines.length;) {
    const sign = lines[at]?.[0];
    let end = at + 1;
    while (end < lines.length && lines[end]?.[0] === sign) end++;
    const run = lines.slice(at, end);
    if (run.length > MAX_RUN) {
      const left = run.length - MAX_RUN;
      run.splice(MAX_RUN - 2, left, `${sign} … ${left} lines more`);
    }
    short.push(...run);
    at = end;
  }
  return short;
}

/** JSON as lines for people: a member a line, texts as they are. */
function readable(value: unknown): string[] {
  if (typeof value === "string") return value.split("\n");
  if (Array.isArray(value)) {
    return value.flatMap((item) => indented("-", readable(item)));
  }
  if (typeof value !== "object" || value === null) return [String(value)];
  return Object.entries(value).flatMap(([key, item]) =>
    indented(`${key}:`, readable(item))
  );
}

function indented(head: string, lines: string[]): string[] {
  const [first = "", ...more] = lines;
  return more.length === 0
    ? [`${head} ${first}`.trimEnd()]
    : [head, ...lines.map((line) => `  ${line}`)];
}
