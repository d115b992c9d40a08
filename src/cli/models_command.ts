import { type ListedModel, listModels } from "../host/list_models.ts";
import { EXIT_CODES } from "../protocol/exit_codes.ts";
import type { CommandLine } from "./options/command_table.ts";
import { readConfiguration } from "./options/run_options.ts";
import type { Surroundings } from "./program.ts";
import { columns, jsonLine, terminalText } from "./terminal_text.ts";

/**
 * `tau models [--json] [word…]`: the models that `--model` takes, those whose
 * name has all words. Asks no provider. Returns the exit code.
 */
export async function modelsCommand(
  { given: { json }, words }: CommandLine<"models">,
  { console, env }: Surroundings,
): Promise<number> {
  const { options, warnings } = await readConfiguration({}, { env });
  for (const warning of warnings) console.warn(warning);
  const { providers } = options;
  const found = (await listModels({ env, providers }))
    .filter((model) => matches(model, words));
  if (json) console.stdout.write(jsonLine(found));
  else if (!console.stdoutIsTerminal) {
    console.stdout.write(found.map(tabbed).join(""));
  } else if (found.length > 0) {
    console.stdout.write(table(found));
  }
  if (found.length > 0) return await console.settle(0);
  console.warn(
    `No model has ${words.map((word) => JSON.stringify(word)).join(" and ")}` +
      " in its name; --model takes one that is not listed, too",
  );
  return await console.settle(EXIT_CODES.usage_error);
}

function matches(model: ListedModel, words: readonly string[]): boolean {
  const text = `${label(model)} ${model.name ?? ""}`.toLowerCase();
  return words.every((word) => text.includes(word.toLowerCase()));
}

/** As `--model` takes it; the star is to be replaced. */
function label({ provider, id }: ListedModel): string {
  return `${provider}/${id ?? "*"}`;
}

const HEADINGS = [
  "MODEL",
  "CONTEXT",
  "MAX OUTPUT",
  "INPUT",
  "REASONING",
  "$ IN",
  "$ OUT",
  "KEY",
];

/** The columns of numbers. */
const RIGHT = [1, 2, 5, 6];

/** Ids of settings and of the price list may be of any length. */
const MAX_WIDTH = 60;

function cells(model: ListedModel): string[] {
  const { contextWindow, maxTokens, input, reasoning, cost, key } = model;
  return [
    label(model),
    ...[contextWindow, maxTokens].map(shown),
    input?.join("+") ?? "",
    reasoning === null ? "" : reasoning ? "yes" : "no",
    ...[cost?.input ?? null, cost?.output ?? null].map(shown),
    key,
  ];
}

function shown(value: number | null): string {
  return value === null ? "" : String(value);
}

/** A line for other programs: an unknown value is empty. */
function tabbed(model: ListedModel): string {
  const line = cells(model).map((cell) => cell.replaceAll(/\s/g, " "));
  return `${line.join("\t")}\n`;
}

function table(models: readonly ListedModel[]): string {
  return columns([
    HEADINGS,
    ...models.map((model) =>
      cells(model).map((cell) => terminalText(cell) || "-")
    ),
  ], { right: RIGHT, maxWidth: MAX_WIDTH });
}
