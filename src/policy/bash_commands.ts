import {
  type Assignment,
  type Command,
  forEachChild,
  parse,
  type Redirect,
  type SyntaxNode,
  type Word,
  type WordPart,
} from "unbash";
import { UNKNOWN } from "./command_pattern.ts";
import type { ShellCommand, ShellScript } from "./shell_command.ts";
import { unwrap } from "./unwrap_command.ts";

const MAX_LENGTH = 64 * 1024;
const MAX_DEPTH = 8;
const WRITES: ReadonlySet<string> = new Set([
  ...[">", ">>", "<>", ">|", "&>", "&>>", ">&"],
]);

/**
 * Every simple command of a line of bash, wherever it stands: in pipes, lists,
 * subshells, functions, loops, substitutions and here-documents, and behind
 * commands that run others.
 */
export function readBashCommands(source: string): ShellScript {
  return read(source, { depth: 0, inherited: [] });
}

/** The place where a script stands. */
interface Place {
  depth: number;
  /** Variables that are set for all of it. */
  inherited: readonly string[];
}

function read(source: string, { depth, inherited }: Place): ShellScript {
  const script: ShellScript = { commands: [], writesFile: false };
  if (source.length > MAX_LENGTH || source.includes(UNKNOWN)) {
    return { ...script, unclear: "it is too long or too odd to be understood" };
  }
  if (depth > MAX_DEPTH) {
    return { ...script, unclear: "it runs shells in shells in shells" };
  }
  try {
    visit(parse(source));
  } catch (error) {
    // Functions in functions, without end, use up the stack.
    if (!(error instanceof RangeError)) throw error;
    doubt("it is nested too deeply to be understood");
  }
  return script;

  function visit(node: SyntaxNode): void {
    if ("errors" in node && node.errors && node.errors.length > 0) {
      doubt("it cannot be parsed");
    }
    if (node.type === "Command") {
      script.commands.push(simpleCommand(node));
    } else if (node.type === "Redirect" && writesFile(node)) {
      script.writesFile = true;
    }
    forEachChild(node, visit);
  }

  function simpleCommand(node: Command): ShellCommand {
    const words = [node.name, ...node.args].flatMap((word) =>
      word === undefined
        ? []
        : word.type === "Word"
        ? [textOf(word)]
        : [assignmentText(word)]
    );
    const assignments = [
      ...inherited,
      ...node.prefix.flatMap((part) =>
        part.type === "Assignment" ? [assignmentText(part)] : []
      ),
    ];
    return withWrapped({
      words,
      assignments,
      inner: [],
      innerRuleSuffices: false,
    }, depth);
  }

  /** The command with what it runs in its turn. */
  function withWrapped(command: ShellCommand, level: number): ShellCommand {
    if (command.words[0]?.includes(UNKNOWN)) {
      doubt("the name of a command is known only when it runs");
    }
    if (level > MAX_DEPTH) {
      doubt("it runs commands by commands by commands");
      return command;
    }
    const wrapped = unwrap(command.words);
    if (!wrapped) return command;
    if (wrapped.unclear !== undefined) doubt(wrapped.unclear);
    const assignments = [
      ...command.assignments,
      ...wrapped.assignments ?? [],
    ];
    const inner = (wrapped.commands ?? []).map((words) =>
      withWrapped(
        { words, assignments, inner: [], innerRuleSuffices: false },
        level + 1,
      )
    );
    for (const text of wrapped.scripts ?? []) {
      const { commands, writesFile, unclear } = read(text, {
        depth: level + 1,
        inherited: assignments,
      });
      inner.push(...commands);
      if (writesFile) script.writesFile = true;
      if (unclear !== undefined) doubt(unclear);
    }
    return { ...command, inner, innerRuleSuffices: wrapped.innerRuleSuffices };
  }

  function doubt(why: string): void {
    script.unclear ??= why;
  }
}

function writesFile({ operator, target }: Redirect): boolean {
  if (!WRITES.has(operator)) return false;
  const name = target === undefined ? "" : textOf(target);
  // `2>&1` and `>&-` only join or close what is open.
  if (operator === ">&" && /^(\d+-?|-)$/.test(name)) return false;
  return name !== "/dev/null";
}

function assignmentText(
  { text, name, value }: Assignment,
): string {
  return value.type === "Word"
    ? `${name}=${textOf(value)}`
    : text.includes("$") || text.includes("`")
    ? `${name}=${UNKNOWN}`
    : text;
}

/** A word without its quotes; what is known only when it runs is `UNKNOWN`. */
function textOf({ value, parts }: Word): string {
  return parts === undefined ? value : parts.map(partText).join("");
}

function partText(part: WordPart): string {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return part.value;
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.map(partText).join("");
    default:
      return UNKNOWN;
  }
}
