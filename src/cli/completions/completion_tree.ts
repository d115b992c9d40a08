import type { Command } from "@stricli/core";
import { PLACEHOLDERS } from "../argument_problem.ts";
import { COMMAND_ROUTES } from "../command_routes.ts";
import type { ParseContext } from "../route_parts.ts";
import { runRoute } from "../run_route.ts";

/** What a shell can offer for one command. */
export interface CompletedCommand {
  /** Empty for the command that needs no name: running a prompt. */
  name: string;
  brief: string;
  options: CompletedOption[];
  /** What the word behind the name can be. */
  words: readonly string[];
}

/** An option in all its spellings. */
export interface CompletedOption {
  long: string;
  /** One letter. */
  short: string | undefined;
  brief: string;
  value: OptionValue;
}

/** What follows an option: nothing, one of some words, a path, or a text that only the user knows. */
export type OptionValue =
  | { kind: "none" | "file" | "folder" | "text" }
  | { kind: "words"; words: readonly string[] };

/** The commands of the program as the scanner of arguments has them, the one without a name first. */
export async function completionTree(): Promise<CompletedCommand[]> {
  const routes: [string, Route][] = [
    ["", runRoute],
    ...Object.entries(COMMAND_ROUTES),
  ];
  const commands: CompletedCommand[] = [];
  for (const [name, route] of routes) {
    commands.push({
      name,
      brief: route.brief,
      options: await optionsOf(route),
      words: await wordsOf(route),
    });
  }
  return commands;
}

type Route = Command<ParseContext>;
type Flag = NonNullable<Route["parameters"]["flags"]>[string];

async function optionsOf({ parameters }: Route): Promise<CompletedOption[]> {
  const { flags = {}, aliases = {} } = parameters;
  const letters = Object.entries(aliases);
  const options: CompletedOption[] = [];
  for (const [long, flag] of Object.entries(flags)) {
    if ("hidden" in flag && flag.hidden) continue;
    const short = letters.find(([, name]) => name === long)?.[0];
    options.push({
      long,
      short,
      brief: flag.brief,
      value: await valueOf(long, flag),
    });
  }
  return options;
}

async function valueOf(name: string, flag: Flag): Promise<OptionValue> {
  if (flag.kind === "boolean" || flag.kind === "counter") {
    return { kind: "none" };
  }
  if (flag.kind === "enum") return { kind: "words", words: flag.values };
  const words = await flag.proposeCompletions?.call(NO_CONTEXT, "");
  if (words) return { kind: "words", words };
  const placeholder = PLACEHOLDERS[name] ?? "";
  if (/\bFILE\b|\bPATH\b/.test(placeholder)) return { kind: "file" };
  return { kind: /\bDIR\b/.test(placeholder) ? "folder" : "text" };
}

async function wordsOf({ parameters }: Route): Promise<readonly string[]> {
  const { positional } = parameters;
  const first = positional?.kind === "array"
    ? positional.parameter
    : positional?.parameters[0];
  return await first?.proposeCompletions?.call(NO_CONTEXT, "") ?? [];
}

/** Proposals are lists that need to know nothing. */
const NO_CONTEXT = {
  process: { stdout: { write: () => {} }, stderr: { write: () => {} } },
};
