import type { JsonObject } from "../../src/model/content.ts";
import type { CodeBlock } from "./markdown_blocks.ts";
import type { Answer } from "./provider_answer.ts";

/** A block of commands. */
export interface ShellBlock {
  code: string;
  /** The line of the page that the code begins on, from 1. */
  line: number;
  /** Why it does not run in a test; absent when it does. */
  norun?: string;
  /** What the model says while the block runs, an entry a request. */
  answers: Answer[];
}

/** The commands of a page, and what is wrong with the marks of its blocks. */
export interface ShellBlocks {
  blocks: ShellBlock[];
  /** Lines such as `12: an sh block ...`. */
  faults: string[];
}

/** Names of shells, of their sessions, and of what is started in the same way. */
const SHELLS = words(
  "bash shell console zsh fish ksh terminal term shell-session shellsession " +
    "sh-session bash-session powershell pwsh ps1 cmd bat batch",
);

/** Languages whose lines may begin as commands do. */
const OTHER_LANGUAGES = words(
  "ts typescript tsx js javascript mjs jsx json jsonc jsonl json5 yaml yml toml " +
    "ini html css xml svg md markdown diff python py rust go c cpp java ruby sql " +
    "dockerfile makefile regex",
);

const COMMANDS = words(
  "tau npx npm pnpm yarn deno node bun git gh curl wget sh bash zsh export cd sudo su " +
    "apt apt-get dnf yum apk pacman brew docker podman pip pip3 pipx uv python " +
    "python3 echo printf cat mkdir cp mv rm ln chmod tar unzip alias jq grep sed " +
    "ollama llama-server lms systemctl kubectl cargo",
);

/** Sorts the blocks of a page: commands, and others, which must not look like commands. */
export function shellBlocks(all: readonly CodeBlock[]): ShellBlocks {
  const found: ShellBlocks = { blocks: [], faults: [] };
  for (const block of all) {
    const fault = (why: string) => found.faults.push(`${block.line}: ${why}`);
    if (block.language !== "sh") {
      const why = whyShell(block);
      if (why !== undefined) fault(why);
      if (answersOf(block) !== undefined) {
        fault("answers stand before a block that does not run");
      }
      continue;
    }
    const [mark = "", ...rest] = block.words.split(/\s+/);
    if (mark !== "" && mark !== "norun") {
      fault(`an sh block is marked ${mark}; only norun is known`);
    }
    const reason = rest.join(" ").replace(/^"(.*)"$/, "$1").trim();
    if (mark === "norun" && !/\p{L}{2}/u.test(reason)) {
      fault("norun needs a reason");
    }
    const answers = answersOf(block);
    if (answers !== undefined && mark === "norun") {
      fault("answers stand before a block that does not run");
    }
    try {
      found.blocks.push({
        code: block.code,
        line: block.line,
        ...(mark === "norun" ? { norun: reason } : {}),
        answers: answers === undefined ? [] : readAnswers(answers),
      });
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      fault(`answers cannot be read: ${error.message}`);
    }
  }
  return found;
}

/** Why a block that is not marked `sh` counts as commands. */
function whyShell({ language, code }: CodeBlock): string | undefined {
  const name = language.toLowerCase();
  if (SHELLS.has(name)) return `a block is marked ${language}; commands are sh`;
  if (OTHER_LANGUAGES.has(name)) return undefined;
  const lines = code.split("\n").map((text) => text.trim())
    .filter((text) => text !== "");
  // What tau prints shows commands, too; but it does not begin with one.
  const looked = name === "text" ? lines.slice(0, 1) : lines;
  const line = looked.find((text) =>
    text.startsWith("$ ") || COMMANDS.has(firstWord(text))
  );
  // As `tau --version` and `tau demo` begin.
  return line === undefined || /^tau (?:\d|\w+:)/.test(line)
    ? undefined
    : `a block that is not marked sh looks like commands: ${line}`;
}

/** The command of a line, behind variables that are set for it. */
function firstWord(line: string): string {
  return line.replace(/^(?:\w+=\S*\s+)+/, "").split(/[\s;|&]/)[0] ?? "";
}

function answersOf({ comments }: CodeBlock): string | undefined {
  return comments.find((comment) => /^answers\b/.test(comment))
    ?.replace(/^answers:?/, "");
}

/** Reads the list of an `answers` comment, in which each entry has a `text`, `calls` or both. */
function readAnswers(text: string): Answer[] {
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list)) throw new SyntaxError("they are no list");
  return list.map((entry: JsonObject) => {
    const { text = "", calls = [], ...rest } = entry;
    const [unknown] = Object.keys(rest);
    if (unknown !== undefined) {
      throw new SyntaxError(`an answer has no "${unknown}"`);
    }
    if (typeof text !== "string" || !Array.isArray(calls)) {
      throw new SyntaxError("text is a string, and calls a list");
    }
    for (const call of calls as JsonObject[]) {
      const { name, arguments: args, ...others } = call;
      if (
        typeof name !== "string" || typeof args !== "object" ||
        Object.keys(others).length > 0
      ) {
        throw new SyntaxError("a call has a name and arguments");
      }
    }
    if (text === "" && calls.length === 0) {
      throw new SyntaxError("an answer has a text or calls");
    }
    return { text, calls } as unknown as Answer;
  });
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
