import { readSkipMark } from "./needs.ts";

/** How many tests did what. */
export interface TestCounts {
  passed: number;
  failed: number;
  skipped: number;
}

/** A test that was not run. */
export interface SkippedTest {
  name: string;
  reason: string;
}

/** What is told of a test that was ignored in another way than by `needing()`. */
const NO_REASON = "ignored without a reason";

// deno-lint-ignore no-control-regex
const STYLES = /\x1b\[[0-9;]*m/g;
const SUMMARY =
  /^(?:ok|FAILED) \| (\d+) passed(?: \([^)]*\))? \| (\d+) failed(?: \([^)]*\))?(?: \| (\d+) ignored)?/gm;

/** Reads the counts from the last summary line that `deno test` printed; undefined where there is none. */
export function countsOf(output: string): TestCounts | undefined {
  const summary = [...output.replaceAll(STYLES, "").matchAll(SUMMARY)].at(-1);
  if (!summary) return undefined;
  const [, passed, failed, skipped = 0] = summary;
  return {
    passed: Number(passed),
    failed: Number(failed),
    skipped: Number(skipped),
  };
}

const SKIPPED_CASE = /<testcase name="([^"]*)"[^>]*>\s*<skipped\/>/g;

/** Reads the tests that were not run from the JUnit report of `deno test`. */
export function skippedIn(report: string): SkippedTest[] {
  return [...report.matchAll(SKIPPED_CASE)].map(([, title = ""]) => {
    const { name, reason = NO_REASON } = readSkipMark(unescaped(title));
    return { name, reason };
  });
}

const ENTITIES: Record<string, string> = {
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  amp: "&",
};

function unescaped(text: string): string {
  return text.replaceAll(
    /&(#x?[0-9a-f]+|\w+);/gi,
    (all, name: string) =>
      name.startsWith("#")
        ? String.fromCodePoint(Number(name.slice(1).replace(/^x/i, "0x")))
        : ENTITIES[name] ?? all,
  );
}

/** Lists the skipped tests under their reasons, the most frequent reason first. */
export function skippedList(skipped: readonly SkippedTest[]): string[] {
  const byReason = Object.entries(
    Object.groupBy(skipped, ({ reason }) => reason) as Record<
      string,
      SkippedTest[]
    >,
  ).toSorted(([, a], [, b]) => b.length - a.length);
  return byReason.flatMap(([reason, tests]) => [
    `Skipped (${tests.length}): ${reason}`,
    ...tests.map(({ name }) => `  ${name}`),
  ]);
}
