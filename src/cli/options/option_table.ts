import type { RunOptions } from "../../host/run_options.ts";
import type { PermissionOptions } from "../../host/run_permissions.ts";
import type { LimitOptions } from "../../session/run_limits.ts";
import { PROFILES } from "../../policy/permission_policy.ts";
import {
  ALL_HOSTS,
  count,
  duration,
  hosts,
  names,
  number,
  oneOf,
  path,
  pluginFlag,
  rule,
  text,
  type Value,
} from "./values.ts";

/**
 * One option of a command line. All that is said or done about it comes from
 * here: parsing, conflicts, help, completions, the tables of the
 * documentation, and its place in the options of a run.
 */
export interface Option<Type = unknown> {
  /** Text of the help; code stands in backticks, and shells show the part before the first semicolon. */
  help: string;
  /** One letter. */
  short?: string;
  /** Absent for an option that takes no value. */
  value?: Value<Type>;
  /** It may be given more than once, and its values are a list. */
  isList?: boolean;
  /** Its value when it is given without one; a value then needs the `=`. */
  bare?: string;
  /** Place of its value in the options of a run. */
  target?: Target;
  /** The setting that counts where the option is absent. */
  setting?: "tools" | "retry.maxRetries";
  /** Options that it does not go with; named in one of the two. */
  excludes?: readonly string[];
  /** Options of which one must be there, too, and the message where none is, which begins with "Option --NAME". */
  needs?: { options: readonly string[]; message: string };
}

/** A place in the options of a run. */
export type Target =
  | keyof RunOptions & string
  | `limits.${keyof LimitOptions & string}`
  | `permissions.${keyof PermissionOptions & string}`
  | `context.${keyof NonNullable<RunOptions["context"]> & string}`;

/** Options by their long names. */
export type Options = Readonly<Record<string, Option>>;

/** The values of those options of a table that were given. */
export type Given<Table> = {
  -readonly [Name in keyof Table]?: Table[Name] extends
    { value: Value<infer Type> }
    ? Table[Name] extends { isList: true }
      ? Type extends readonly (infer Part)[] ? Part[] : Type[]
    : Type
    : boolean;
};

const TOOL = /^[\w-]{1,64}$/;
const VARIABLE = /^[A-Za-z_]\w*$/;
const MAX_COUNT = 1_000_000;
const MAX_RETRIES = 100;

/** Values of `--output-format`. */
export const OUTPUT_FORMATS = ["text", "json", "stream-json"] as const;

/** Form of the outcome of a run on stdout. */
export type OutputFormat = typeof OUTPUT_FORMATS[number];

const PRINT_OPTIONS = {
  print: {
    short: "p",
    help:
      "run the prompt and end; implied by `--output-format`, and when stdin or stdout is not a terminal",
  },
  "output-format": {
    value: oneOf("FORMAT", OUTPUT_FORMATS),
    help:
      "`text` (default): the answer, progress on stderr; `json`: one line, the result record; `stream-json`: a line of JSON for each event, the last is the result record",
  },
} as const satisfies Options;

const ANSWER_OPTIONS = {
  "output-last-message": {
    value: path("FILE"),
    short: "o",
    help: "also write the answer to FILE when the run completes",
  },
} as const satisfies Options;

const FOLDER_OPTIONS = {
  cd: {
    value: path("DIR"),
    short: "C",
    help: "work in DIR instead of the current folder",
    target: "cwd",
  },
} as const satisfies Options;

const GOAL_OPTIONS = {
  check: {
    value: text("CMD", {
      fits: /^(?=[^]*\S)[^\0]*$/,
      wanted: 'a command, such as "npm test"',
      example: '"npm test"',
    }),
    help:
      "bash must run CMD with success, in a process without plugins, before the run counts as completed; the model is told how it failed",
  },
  "check-retries": {
    value: count({ min: 0, max: MAX_RETRIES, example: "2" }),
    help: "tell the model of a failed check N times (default 2)",
    needs: {
      options: ["check"],
      message: 'needs a check, such as --check "npm test"',
    },
  },
  "output-schema": {
    value: path("FILE"),
    help:
      "the answer must be JSON that fits the JSON Schema in FILE; the model is told of a wrong one twice",
  },
} as const satisfies Options;

const MODEL_OPTIONS = {
  model: {
    value: text("PROVIDER/ID", {
      fits: /^[\w@.:/+-]{1,200}$/,
      wanted: "provider/id, such as anthropic/claude-sonnet-4-5",
    }),
    help:
      "the model, such as `anthropic/claude-sonnet-4-5`; with `:low`, `:medium` or `:high` behind it for thinking. Default: that of the settings, or of the first provider with a key",
    target: "model",
  },
  "max-retries": {
    value: count({ min: 0, max: MAX_RETRIES, example: "3" }),
    help:
      "repeat a failed request up to N times (default 3); only when the failure may pass",
    target: "maxRetries",
    setting: "retry.maxRetries",
  },
} as const satisfies Options;

const TOOL_OPTIONS = {
  tools: {
    value: names({
      fits: TOOL,
      example: "read,bash",
      like: "read,grep,find,ls",
    }),
    short: "t",
    help:
      "the active tools, separated by commas; of `read bash edit write grep find ls powershell`. Default: `read,bash,edit,write`",
    target: "tools",
    setting: "tools",
  },
  "exclude-tools": {
    value: names({ fits: TOOL, example: "bash", like: "read,grep,find,ls" }),
    help: "tools that are not active, those of plugins included",
    target: "excludeTools",
  },
  plugin: {
    value: path("PATH"),
    isList: true,
    help:
      "also load this plugin; a `.ts` or `.js` file, or a folder with `mod.ts` or `index.ts`",
  },
  "plugin-flag": {
    value: pluginFlag,
    isList: true,
    help: "set an option that a plugin defines",
  },
  "no-plugins": { help: "load only the plugins that `--plugin` names" },
} as const satisfies Options;

const CONTEXT_OPTIONS = {
  "system-prompt": {
    value: text("TEXT|FILE", { example: "FILE", offer: "file" }),
    help: "replace what tau says of itself and its tools",
    target: "context.systemPrompt",
  },
  "append-system-prompt": {
    value: text("TEXT|FILE", { example: '"use tabs"' }),
    help: "add to the system prompt",
    target: "context.appendSystemPrompt",
  },
  "no-context-files": { help: "do not read `AGENTS.md` or `CLAUDE.md`" },
  trust: {
    help:
      "use `.tau` of the working folder in this run; its settings, skills, prompts and plugins",
    excludes: ["no-trust"],
  },
  "no-trust": {
    help: "do not use it; default: as `tau trust` has decided",
  },
} as const satisfies Options;

const PERMISSION_OPTIONS = {
  profile: {
    value: oneOf("NAME", PROFILES),
    help:
      "how much the run may touch; `read-only`: writes nothing; `workspace`: writes the folder (default); `strict`: as workspace, and commands see no home folder; `full`: all but secrets, and the network",
    target: "permissions.profile",
  },
  "add-dir": {
    value: path("DIR"),
    isList: true,
    help: "also work in DIR",
    target: "permissions.addDirs",
  },
  "allow-read": {
    value: path("PATH"),
    isList: true,
    help: "let tools also read PATH",
    target: "permissions.allowRead",
  },
  "allow-write": {
    value: path("DIR"),
    isList: true,
    help: "let tools and commands also write DIR",
    target: "permissions.allowWrite",
  },
  "allow-net": {
    value: hosts,
    bare: ALL_HOSTS,
    help:
      "let commands use the network; with HOSTS, such as `example.com,*.example.org`, only plugins, and only these hosts",
    target: "permissions.net",
  },
  "pass-env": {
    value: names({ fits: VARIABLE, example: "NAME,NAME", like: "FOO,BAR" }),
    isList: true,
    help:
      "let commands see these variables, separated by commas; never a key of tau",
    target: "permissions.passEnv",
  },
  sandbox: {
    value: oneOf("WHEN", ["auto", "require", "off"]),
    help:
      "confine commands; `auto`: where the machine can (default); `require`: or else end with 31; `off`: never",
    target: "permissions.sandbox",
  },
  "allow-tool": {
    value: rule("allow", '"bash(npm test*)"'),
    isList: true,
    help:
      'make these tool calls without asking; a rule is such as `read`, `"bash(npm test*)"`, `"write(src/**)"`',
  },
  "deny-tool": {
    value: rule("deny", '"bash(git push*)"'),
    isList: true,
    help: "never make these tool calls",
  },
  "fail-on-denied": {
    help: "end with 30 when anything was denied",
    target: "failOnDenied",
  },
} as const satisfies Options;

const LIMIT_OPTIONS = {
  "max-turns": {
    value: count({ min: 1, max: MAX_COUNT, example: "20" }),
    help: "end after N responses of the model",
    target: "limits.maxTurns",
  },
  "max-tool-calls": {
    value: count({ min: 0, max: MAX_COUNT, example: "100" }),
    help:
      "end before a response that would bring the calls over N; none of its calls is run",
    target: "limits.maxToolCalls",
  },
  "max-repeats": {
    value: count({ min: 0, max: MAX_COUNT, example: "8" }),
    help:
      "end when a call has the same result N times in a row (default 8; 0: never)",
    target: "limits.maxRepeats",
  },
  "max-budget-usd": {
    value: number("X", {
      digits: /^\d{1,6}(\.\d{1,6})?$/,
      min: 1e-6,
      max: 1e6,
      wanted: "US dollars, such as 2.50",
      example: "2.50",
    }),
    help:
      "end when the requests have cost X US dollars; the model's price must be known",
    target: "limits.maxBudgetUsd",
  },
  "on-limit": {
    value: oneOf("ACTION", ["stop", "summarize"]),
    help:
      "at one of these limits `stop` (default) or `summarize`; that asks once more, without tools, what was done",
    target: "limits.onLimit",
  },
  timeout: {
    value: duration,
    help: "end after `300`, `90s`, `5m` or `1h`; no limit by default",
    target: "timeoutMs",
  },
} as const satisfies Options;

/** A recording holds its conversation from the beginning on. */
const NOT_WITH_SESSION = ["no-session", "record", "replay"] as const;

const SESSION_OPTIONS = {
  continue: {
    short: "c",
    help: "continue the latest session of this folder",
    excludes: ["resume", "session", ...NOT_WITH_SESSION],
  },
  resume: {
    value: text("ID", {
      fits: /^[0-9a-f-]{4,36}$/i,
      wanted:
        "the id of a session, or its first characters; tau sessions list shows them",
    }),
    short: "r",
    help: "continue the session ID, from any folder",
    excludes: ["session", ...NOT_WITH_SESSION],
  },
  session: {
    value: path("FILE"),
    help: "continue the session in FILE, or begin one there",
    excludes: NOT_WITH_SESSION,
  },
  fork: {
    help: "with one of these three: continue a copy",
    needs: {
      options: ["continue", "resume", "session"],
      message:
        "copies a session: say which with --continue, --resume or --session",
    },
  },
  "no-session": { help: "do not store the conversation" },
} as const satisfies Options;

const RECORDING_OPTIONS = {
  record: {
    value: path("FILE"),
    help: "record the run: each request, its answer, the results of tools",
    excludes: ["replay"],
  },
  replay: {
    value: path("FILE"),
    help:
      "answer from a recording instead of a model; a request that is not in it ends the run with 50",
  },
  "replay-tools": {
    help:
      "with `--replay`: run no tool and no check; take their results from the recording, too",
    needs: {
      options: ["replay"],
      message: "needs a recording: name it with --replay FILE",
    },
  },
} as const satisfies Options;

/** The options of a run by subject, in the order of the help. */
export const OPTION_GROUPS: readonly (readonly [string, Options])[] = [
  ["Prompt and output", {
    ...PRINT_OPTIONS,
    ...ANSWER_OPTIONS,
    ...FOLDER_OPTIONS,
  }],
  ["Goals", GOAL_OPTIONS],
  ["Model", MODEL_OPTIONS],
  ["Tools and plugins", TOOL_OPTIONS],
  ["What the model is told", CONTEXT_OPTIONS],
  ["Permissions", PERMISSION_OPTIONS],
  ["Limits", LIMIT_OPTIONS],
  ["Sessions", SESSION_OPTIONS],
  ["Recording", RECORDING_OPTIONS],
];

/** Options of a conversation, on a terminal or with a program. */
export const CONVERSATION_OPTIONS = {
  ...FOLDER_OPTIONS,
  ...GOAL_OPTIONS,
  ...MODEL_OPTIONS,
  ...TOOL_OPTIONS,
  ...CONTEXT_OPTIONS,
  ...PERMISSION_OPTIONS,
  ...LIMIT_OPTIONS,
  ...SESSION_OPTIONS,
} as const;

/** Options of a run, but for those that say how it is shown. */
export const SESSION_RUN_OPTIONS = {
  ...ANSWER_OPTIONS,
  ...CONVERSATION_OPTIONS,
  ...RECORDING_OPTIONS,
} as const;

/** Options of `tau` and `tau -p`. */
export const RUN_OPTIONS = {
  ...PRINT_OPTIONS,
  ...SESSION_RUN_OPTIONS,
} as const;

/** Options of every command. */
export const COMMON_OPTIONS = {
  help: { short: "h", help: "show this help" },
  version: { short: "v", help: "show the version" },
} as const satisfies Options;

/** Options of a run, as they were given. */
export type RunFlags = Given<typeof RUN_OPTIONS>;
