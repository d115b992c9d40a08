import { providerVariables } from "../host/known_providers.ts";
import { UsageError } from "../settings/usage_error.ts";
import { nearestKey } from "../model/nearest_key.ts";
import {
  type Action,
  type Command,
  type CommandLine,
  COMMANDS,
} from "./options/command_table.ts";
import {
  COMMON_OPTIONS,
  type Option,
  OPTION_GROUPS,
  type Options,
} from "./options/option_table.ts";
import type { Surroundings } from "./program.ts";

/** `tau help [COMMAND]`: returns the exit code; throws a {@linkcode UsageError} for an unknown command. */
export async function helpCommand(
  { words: [name] }: CommandLine<"help">,
  { console }: Surroundings,
): Promise<number> {
  if (name !== undefined && !NAMES.includes(name)) {
    const nearest = nearestKey(name, NAMES);
    throw new UsageError(
      `Unknown command ${JSON.stringify(name)}; ${
        nearest ? `did you mean: tau help ${nearest}` : "tau help lists them"
      }`,
    );
  }
  console.stdout.write(name === undefined ? programHelp() : commandHelp(name));
  return await console.settle(0);
}

const NAMES = Object.keys(COMMANDS).filter((name) => name !== "");

/** The text of `tau --help`. */
export function programHelp(): string {
  return `tau: a coding agent. It reads and changes files and runs commands in a folder
to do what a prompt asks for.

Usage
${row("tau [options] [prompt…]", "hold a conversation on the terminal")}${
    row("tau -p [options] [prompt…]", "run one prompt and end")
  }${
    NAMES.map((name) => row(commandUsage(name), commandNamed(name).help))
      .join("")
  }
  tau help COMMAND shows the options of a command, with examples.

Prompt
  Several words of a prompt are joined by spaces; - is replaced by stdin.
  Without a prompt stdin is the prompt; with one, stdin is read only for a -.
  A word @FILE attaches a text or an image. /name fills the prompt template of
  that name with the words behind it; /skill:name uses a skill.
  All words behind -- are prompt, also those that begin with a dash or are the
  name of a command.

${groupedOptions(commandNamed("").options)}
${EXAMPLES}
${environment()}
${EXIT_CODES}
On Linux bubblewrap confines what bash runs. Where it cannot, tau says so in the
first line of each run; tau doctor says why.
`;
}

/** The text of `tau COMMAND --help`. */
export function commandHelp(name: string): string {
  const { help, options, actions, examples } = commandNamed(name);
  const usage = actions
    ? Object.entries(actions).map(([action, one], index) =>
      row(actionUsage(name, action, one, index === 0), one.help)
    ).join("")
    : `  ${commandUsage(name)}\n`;
  const summary = fill(`tau ${name}: ${plain(help)}`, WIDTH).join("\n");
  return `${summary}

Usage
${usage}
${groupedOptions(options)}
Examples
${examples.map((example) => `  tau ${example}\n`).join("")}`;
}

function commandNamed(name: string): Command {
  return COMMANDS[name as keyof typeof COMMANDS];
}

function commandUsage(name: string): string {
  const { words, actions, needsAction, options } = commandNamed(name);
  const first = Object.keys(actions ?? {}).join("|");
  return [
    `tau ${name}`,
    ...Object.keys(options).length > 3
      ? ["[options]"]
      : actions
      ? []
      : Object.entries<Option>(options).map(optionUsage),
    ...first === "" ? [] : [needsAction ? first : `[${first}]`],
    ...words === undefined ? [] : [words],
  ].join(" ");
}

/** A command line of one action; `isDefault` where the action may be left out. */
function actionUsage(
  name: string,
  action: string,
  { words, options }: Action,
  isDefault: boolean,
): string {
  const { options: all, needsAction } = commandNamed(name);
  const taken = Object.entries<Option>(all).filter(([option]) =>
    options?.includes(option) ?? true
  );
  return [
    `tau ${name} ${isDefault && !needsAction ? `[${action}]` : action}`,
    ...words === undefined ? [] : [words],
    ...taken.map(optionUsage),
  ].join(" ");
}

function optionUsage([name, { value }]: [string, Option]): string {
  return value === undefined ? `[--${name}]` : `[--${name} ${value.name}]`;
}

/** Options under the headings of their subjects, those of the command alone first. */
function groupedOptions(options: Options): string {
  const all = Object.entries(options);
  const groups = OPTION_GROUPS.map(([title, group]) =>
    [
      title,
      all.filter(([name, option]) => group[name] === option),
    ] as const
  );
  const grouped = new Set(groups.flatMap(([, group]) => group));
  const own = all.filter((one) => !grouped.has(one));
  return [
    ...groups,
    ["Options", [...own, ...Object.entries(COMMON_OPTIONS)]] as const,
  ].filter(([, group]) => group.length > 0)
    .map(([title, group]) => `${title}\n${group.map(optionRow).join("")}`)
    .join("\n");
}

function optionRow([name, option]: [string, Option]): string {
  const { short, help } = option;
  const letter = short === undefined ? "    " : `-${short}, `;
  return row(
    `${letter}${optionSpelling(name, option)}`,
    optionHelp(option, help),
  );
}

/** `--tools NAMES`, as people write an option. */
export function optionSpelling(name: string, { value, bare }: Option): string {
  if (value === undefined) return `--${name}`;
  return `--${name}${
    bare === undefined ? ` ${value.name}` : `[=${value.name}]`
  }`;
}

/** The help of an option, with what its row says beside it. */
export function optionHelp({ isList }: Option, help: string): string {
  return isList ? `${help}; may be repeated` : help;
}

const INDENT = 33;
const WIDTH = 80;

/** A name, and beside or below it its help. */
function row(name: string, help: string): string {
  const first = `  ${name}`;
  const [line = "", ...lines] = fill(plain(help), WIDTH - INDENT);
  const head = first.length < INDENT
    ? [first.padEnd(INDENT) + line]
    : [first, " ".repeat(INDENT) + line];
  return [...head, ...lines.map((line) => " ".repeat(INDENT) + line)]
    .map((line) => `${line}\n`).join("");
}

/** Breaks text into lines between words. */
function fill(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines;
}

function plain(help: string): string {
  return help.replaceAll("`", "");
}

const EXAMPLES = `Examples
  tau -p "why does the build fail?"
  tau -p --check "npm test" "fix the failing test"
  git diff | tau -p "review this change:" - > review.md
  tau -p --tools read,grep,find,ls "where are sessions stored?"
  tau -p --output-format json --timeout 10m "fix the failing test" | jq .status
  OPENAI_BASE_URL=http://127.0.0.1:8000/v1 OPENAI_API_KEY=x \\
    tau -p --model openai/my-model "say hello"
  tau -p --model ollama/qwen3 "say hello"
`;

function environment(): string {
  const { keys, local } = providerVariables();
  const names = fill(keys.join(", "), WIDTH - 4)
    .map((line) => `  ${line}\n`).join("");
  const variables: [name: string, help: string][] = [
    [
      "<NAME>_BASE_URL",
      `another server for a provider, also for the local ones: ${
        local.join(", ")
      }`,
    ],
    [
      "TAU_PROXY_URL, TAU_PROXY_TOKEN",
      "a tau proxy to ask instead of providers, and its token; with --model, and without a key. tau proxy itself takes the token, too",
    ],
    [
      "TAU_HOME",
      "the folder of your settings.json, AGENTS.md, skills/, prompts/, plugins/ and sessions/; default: ~/.tau",
    ],
    [
      "NO_COLOR, FORCE_COLOR, TERM=dumb",
      "colour or not; default: on terminals",
    ],
  ];
  return `Environment
${names}${row("", "keys; commands that bash runs do not see them")}${
    variables.map(([name, help]) => row(name, help)).join("")
  }`;
}

const EXIT_CODES = `Exit codes, the same in every output format
    0  the model ended its turn by itself
    1  an error inside tau, or stdout or the file of -o could not be written
    2  wrong arguments or settings
   10  no key, or one that the provider does not take
   11  provider unreachable or overloaded: a later try may pass
   12  provider refused the request
   20  a limit on turns, tool calls or repeats reached
   21  the limit on cost reached
   22  the time limit reached
   23  the answer hit the model's output limit
   30  something was denied, with --fail-on-denied
   31  no sandbox, with --sandbox require
   32  the process that runs the tools died or hung
   40  the answer does not fit its JSON Schema
   41  the command of the check fails
   50  the recording has no answer to a request, or no result of a call
  129, 130, 143, 141             hung up, interrupted, terminated; stdout closed
`;
