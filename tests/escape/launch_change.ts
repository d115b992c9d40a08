import type { KernelLaunch } from "../../src/host/kernel_program.ts";
import { seccompFilter } from "../../src/sandbox/seccomp_filter.ts";

/** Takes something away from how a kernel is started. */
export interface LaunchChange {
  /** Deno's flags. */
  flags?(flags: string[]): string[];
  /** The words of the command, bubblewrap's among them. */
  command?(words: string[]): string[];
  environment?(
    given: KernelLaunch["environment"],
    all: Record<string, string>,
  ): KernelLaunch["environment"];
  opensFetch?: boolean;
}

/** How many words follow an option of bubblewrap. */
const ARITY: Record<string, number> = {
  "--ro-bind": 2,
  "--bind": 2,
  "--tmpfs": 1,
  "--proc": 1,
  "--dev": 1,
  "--chdir": 1,
  "--seccomp": 1,
  "--cap-drop": 1,
};

/** Changes bubblewrap's options one by one, each with what belongs to it. Fails where nothing changes. */
export function eachOption(
  words: readonly string[],
  change: (option: string[]) => string[],
): string[] {
  const begin = words.indexOf("--unshare-all");
  const end = words.indexOf("--", begin);
  const before: string[][] = [];
  for (let at = begin; at < end;) {
    const next = at + 1 + (ARITY[words[at] as string] ?? 0);
    before.push(words.slice(at, next));
    at = next;
  }
  const after = before.flatMap(change);
  if (after.join() === before.flat().join()) {
    throw new Error(`Nothing was taken away from ${words.join(" ")}`);
  }
  return [...words.slice(0, begin), ...after, ...words.slice(end)];
}

export function isRoot([name, from]: string[]): boolean {
  return name === "--ro-bind" && from === "/";
}

/** Whether an option puts nothing in the place of what lies there. */
export function hides(
  [name, from = "", to]: string[],
  pattern: RegExp,
): boolean {
  if (name === "--tmpfs") return pattern.test(from);
  return name === "--ro-bind" && from === "/dev/null" &&
    pattern.test(to ?? "");
}

export function withUnixSockets(words: readonly string[]): string[] {
  const program = seccompFilter(Deno.build.arch, { unixSockets: true });
  const path = words[words.indexOf("sh") + 1] as string;
  Deno.writeFileSync(path, program as Uint8Array);
  return [...words];
}
