import * as Type from "@sinclair/typebox";
import type { JsonObject } from "../model/content.ts";
import type { Static, TSchema } from "../model/schema_types.ts";
import type { ToolDefinition } from "../sdk/tool_definition.ts";
import type { AgentToolResult } from "../agent/agent_tool.ts";
import type { CommandDetails } from "./command_output.ts";
import type { EditDiff } from "./edit_diff.ts";
import {
  oneLine,
  renderCommand,
  renderCommandResult,
  renderDiff,
  renderLines,
  renderPath,
  renderText,
  renderTitle,
} from "./render.ts";
import type { ShellToolOptions } from "./tool_options.ts";

const text = (description: string) => Type.String({ description });
const number = (description: string) => Type.Number({ description });
const flag = (description: string) => Type.Boolean({ description });

/** Timeout of a command that names none, in milliseconds. */
export const DEFAULT_TIMEOUT_MS = 600_000;

/** Results that a search shows where the call asks for no other number. */
export const DEFAULT_LIMITS = { grep: 100, find: 1000, ls: 500 };

/** Everything of a definition but `execute`. */
export type Shown<Params extends TSchema, Details> = Omit<
  ToolDefinition<Params, Details>,
  "execute"
>;

/** The tools for files: what the model is told, the schema of the arguments, and what a terminal shows. */
export const FILE_TOOLS = {
  read: shown({
    name: "read",
    label: "Read",
    description:
      "Read a file. Text is shown without line numbers, at most 2000 lines or " +
      "50KB at a time: use offset and limit to go on. Images (png, jpeg, gif, " +
      "webp) are shown as such; other binary files are only named.",
    promptSnippet: "Read a file or an image",
    promptGuidelines: ["Read files with read, not with cat or sed."],
    parameters: Type.Object({
      path: text("File to read; relative paths start at the working folder"),
      offset: Type.Optional(number("First line to show, counted from 1")),
      limit: Type.Optional(number("Number of lines to show")),
    }),
    renderCall: ({ path, offset, limit }, theme, context) => {
      const suffix = lineRange(offset, limit);
      return renderTitle("read", [renderPath(path, context), suffix], theme);
    },
  }),
  edit: shown({
    name: "edit",
    label: "Edit",
    description:
      "Change a text file by replacing exact pieces of text. Each oldText must " +
      "occur exactly once in the file; all replacements are made, or none. Line " +
      "ends (LF or CRLF) need not match and are kept.",
    promptSnippet: "Replace exact pieces of text in a file",
    promptGuidelines: [
      "Give edit as little oldText as is unique, and put all changes of one file into one call.",
    ],
    parameters: Type.Object({
      path: text("File to change; relative paths start at the working folder"),
      edits: Type.Array(
        Type.Object({
          oldText: text(
            "Text to replace, exactly as in the file; must occur there once",
          ),
          newText: text("What to put in its place"),
        }),
        {
          description:
            "Replacements, all found in the file as it is now; they must not overlap",
        },
      ),
    }),
    prepareArguments: prepareEditArguments,
    renderCall: ({ path }, theme, context) =>
      renderTitle("edit", [renderPath(path, context)], theme),
    renderResult: (result: AgentToolResult<EditDiff>, options, theme) =>
      result.details?.diff && !result.isError
        ? renderDiff(result.details.diff, options, theme)
        : renderText(result, options, theme),
  }),
  write: shown({
    name: "write",
    label: "Write",
    description:
      "Write a whole file. Makes missing folders and replaces a file that is " +
      "there, unless it was changed by others since it was read.",
    promptSnippet: "Write a whole file",
    promptGuidelines: [
      "Use write for new files and complete rewrites only, edit for changes.",
    ],
    parameters: Type.Object({
      path: text("File to write; relative paths start at the working folder"),
      content: text("The whole content of the file"),
    }),
    renderCall: ({ path, content }, theme, context) => [
      ...renderTitle("write", [renderPath(path, context)], theme),
      ...renderLines(content, { expanded: false, theme }),
    ],
  }),
  grep: shown({
    name: "grep",
    label: "grep",
    description:
      "Search the lines of files for a regular expression, in JavaScript's syntax with the u flag. " +
      "Results are path:line: text, sorted by path. " +
      "Hidden files and what .gitignore leaves out are only counted, unless `path` names them.",
    promptSnippet: "Search in files",
    promptGuidelines: ["Search in files with grep, not with bash."],
    parameters: Type.Object({
      pattern: text("JavaScript regular expression, or text with literal"),
      path: Type.Optional(
        text("File or folder to search. Default: the working folder"),
      ),
      glob: Type.Optional(
        text("Only files that match, such as *.ts or src/**; !*.md leaves out"),
      ),
      ignoreCase: Type.Optional(flag("Default: false")),
      literal: Type.Optional(
        flag("Search for the pattern as plain text. Default: false"),
      ),
      context: Type.Optional(
        number("Lines to show before and after each match. Default: 0"),
      ),
      limit: Type.Optional(
        number(`Most matches to show. Default: ${DEFAULT_LIMITS.grep}`),
      ),
    }),
    renderCall: ({ pattern, path = ".", glob }, theme) => {
      const subject = pattern === undefined ? "…" : `/${oneLine(pattern)}/`;
      const files = glob === undefined ? "" : ` (${oneLine(glob)})`;
      return renderTitle(
        "grep",
        [subject, ` in ${oneLine(path)}${files}`],
        theme,
      );
    },
  }),
  find: shown({
    name: "find",
    label: "find",
    description:
      "Find files and folders by a glob. Paths come sorted, folders with a / at their end. " +
      "Hidden files and what .gitignore leaves out are only counted, unless `path` names them. " +
      "A pattern without capital letters matches in any case.",
    promptSnippet: "Find files by a glob",
    promptGuidelines: ["Find files with find, not with bash."],
    parameters: Type.Object({
      pattern: text(
        "Glob: *.ts matches names at any depth; with a slash (src/**/*.ts) paths from the folder on",
      ),
      path: Type.Optional(
        text("Folder to search. Default: the working folder"),
      ),
      limit: Type.Optional(
        number(`Most results to show. Default: ${DEFAULT_LIMITS.find}`),
      ),
    }),
    renderCall: ({ pattern = "…", path = "." }, theme) =>
      renderTitle("find", [oneLine(pattern), ` in ${oneLine(path)}`], theme),
  }),
  ls: shown({
    name: "ls",
    label: "ls",
    description:
      "List a folder: names in alphabetical order, hidden ones too, folders with a / at their end.",
    promptSnippet: "List a folder",
    parameters: Type.Object({
      path: Type.Optional(text("Folder to list. Default: the working folder")),
      limit: Type.Optional(
        number(`Most entries to show. Default: ${DEFAULT_LIMITS.ls}`),
      ),
    }),
    renderCall: ({ path = "." }, theme, context) =>
      renderTitle("ls", [renderPath(path, context)], theme),
  }),
};

/** The arguments of a call of a built-in tool for files. */
export type FileToolParameters<Name extends keyof typeof FILE_TOOLS> = Static<
  typeof FILE_TOOLS[Name]["parameters"]
>;

/** A shell that a tool runs commands in. */
export type ShellName = keyof typeof SHELLS;

/** Texts in which the shell tools differ. */
export const SHELLS = {
  bash: {
    /** Name of the shell in texts for the model. */
    title: "bash",
    /** Stands before a rendered command. */
    prompt: "$",
    /** Sentence on background processes. */
    background:
      "A process left in the background (&) lives on when the command returns.",
    /** Error where the operations find no such shell. */
    missing:
      "Cannot run bash: it is not on PATH; use the powershell tool if it is active",
  },
  powershell: {
    title: "PowerShell",
    prompt: "PS>",
    background:
      "Jobs end with the command; what Start-Process starts lives on.",
    missing:
      "Cannot run PowerShell: neither pwsh nor powershell is on PATH; use the bash tool, or have PowerShell 7 installed",
  },
};

const outputSchema = Type.Object({
  output: Type.String(),
  truncated: Type.Boolean(),
  full_output_path: Type.Optional(Type.String()),
  exit_code: Type.Integer(),
  wall_time_seconds: Type.Number(),
});

const commandParameters = Type.Object({
  command: text("The command to run"),
  timeout: Type.Optional(number("Seconds after which the command is killed")),
});

/** The arguments of a call of a shell tool. */
export type CommandParameters = Static<typeof commandParameters>;

/** A shell tool without its work. */
export function shellTool(
  name: ShellName,
  { timeoutMs = DEFAULT_TIMEOUT_MS, exposeSessionEnvironment = true }: Pick<
    ShellToolOptions,
    "timeoutMs" | "exposeSessionEnvironment"
  >,
): Shown<typeof commandParameters, CommandDetails | undefined> {
  const { title, prompt, background } = SHELLS[name];
  return shown({
    name,
    label: name,
    description:
      `Run a command in ${title} and return what it prints on stdout and stderr, the last 2000 lines or 50KB of it. ` +
      "Every call starts a new shell in the working folder: cd and variables do not last from call to call. " +
      "stdin is empty and there is no terminal. " +
      `The command and all that it started are killed after ${
        timeoutMs / 1000
      } seconds, or after \`timeout\` seconds. ` +
      background,
    promptSnippet: `Run ${title} commands`,
    promptGuidelines: [
      "Nobody can answer a command's questions: pass flags such as --yes, and messages as arguments.",
      ...(exposeSessionEnvironment
        ? [
          "Commands can read which session and model they run for from TAU_SESSION_ID, TAU_SESSION_FILE, TAU_PROVIDER, TAU_MODEL and TAU_REASONING_LEVEL.",
        ]
        : []),
    ],
    parameters: commandParameters,
    outputSchema,
    renderCall: (args, theme) => renderCommand(prompt, args, theme),
    renderResult: renderCommandResult,
  });
}

function shown<Params extends TSchema, Details>(
  tool: Shown<Params, Details>,
): Shown<Params, Details> {
  return {
    constrainedSampling: { type: "json_schema", strict: "prefer" },
    renderResult: renderText,
    ...tool,
  };
}

/** The lines of a call as `:5-7`; what has arrived of the arguments may be anything. */
function lineRange(offset: unknown, limit: unknown): string {
  const first = typeof offset === "number" ? offset : 1;
  if (typeof limit === "number") return `:${first}-${first + limit - 1}`;
  return typeof offset === "number" ? `:${first}` : "";
}

/**
 * Mends the shapes in which models send edits: `edits` as JSON text, as one
 * object, and `oldText` and `newText` at the top.
 */
function prepareEditArguments(raw: JsonObject): JsonObject {
  const { oldText, newText, ...rest } = raw;
  let edits: unknown = raw.edits;
  if (typeof edits === "string") {
    try {
      edits = JSON.parse(edits);
    } catch {
      // The schema says what is wrong with a text.
      return raw;
    }
  }
  if (typeof edits === "object" && edits !== null && !Array.isArray(edits)) {
    edits = [edits];
  }
  if (typeof oldText === "string" && typeof newText === "string") {
    edits = [...(Array.isArray(edits) ? edits : []), { oldText, newText }];
    return { ...rest, edits: edits as JsonObject[] };
  }
  return edits === raw.edits ? raw : { ...raw, edits: edits as JsonObject[] };
}
