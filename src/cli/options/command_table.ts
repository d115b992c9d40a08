import {
  CONVERSATION_OPTIONS,
  type Given,
  type Options,
  RUN_OPTIONS,
  SESSION_RUN_OPTIONS,
} from "./option_table.ts";
import { duration, number, text } from "./values.ts";

/** A word that names what tau does where it comes first. */
export interface Command {
  /** Text of the help; shells show the part before the first semicolon. */
  help: string;
  /** Words that may follow, such as `[WORD…]`. */
  words?: string;
  options: Options;
  /** The first word behind it is one of these. */
  actions?: Readonly<Record<string, Action>>;
  /** It needs an action; otherwise the first one is meant. */
  needsAction?: boolean;
  /** Command lines, without the first `tau`. */
  examples: readonly string[];
}

/** One of the things that a command does. */
export interface Action {
  /** One that must follow, such as `ID`; with `…` at its end: or more. */
  words?: string;
  help: string;
  /** Those of the command's options that it takes. Default: all. */
  options?: readonly string[];
}

const JSON_OPTION = { json: { help: "print JSON" } } as const;

/** Options of `tau proxy`. */
export const PROXY_OPTIONS = {
  port: {
    value: number("N", {
      digits: /^\d{1,5}$/,
      min: 0,
      max: 65_535,
      wanted: "a number from 0 to 65535; 0 takes a free one",
      example: "7878",
    }),
    help: "the port to listen on (default 7878; 0: a free one)",
  },
  host: {
    value: text("ADDRESS", {
      fits: /^[\w.:-]{1,253}$/,
      wanted: "an address, such as 127.0.0.1",
      example: "127.0.0.1",
    }),
    help: "the address to listen on (default 127.0.0.1)",
  },
} as const;

/** All commands; the one without a name runs a prompt. */
export const COMMANDS = {
  "": {
    words: "[prompt…]",
    help: "hold a conversation on the terminal, or run one prompt",
    options: RUN_OPTIONS,
    examples: [
      '-p "why does the build fail?"',
      '-p --check "npm test" "fix the failing test"',
    ],
  },
  rpc: {
    help:
      "hold a conversation with a program; commands on stdin, responses and events on stdout, a line of JSON each",
    options: CONVERSATION_OPTIONS,
    examples: ["rpc --no-session", "rpc --model ollama/qwen3 -C ../project"],
  },
  demo: {
    help:
      "watch a recorded run repair a small project; needs no key and no network",
    options: { keep: { help: "keep the project, and print where it is" } },
    examples: ["demo", "demo --keep"],
  },
  sessions: {
    help: "list, show, export and remove stored conversations",
    options: JSON_OPTION,
    actions: {
      list: { help: "all stored sessions, the latest first" },
      show: {
        words: "ID",
        help: "a session as Markdown, long results shortened",
        options: [],
      },
      export: {
        words: "ID",
        help: "a session as Markdown, in full",
        options: [],
      },
      rm: { words: "ID…", help: "remove sessions", options: [] },
    },
    examples: ["sessions list --json", "sessions export 0199f3a1 > session.md"],
  },
  models: {
    words: "[WORD…]",
    help:
      "list the models that you can use, with prices and keys; with WORDs those whose names have all of them",
    options: JSON_OPTION,
    examples: ["models", "models gpt mini --json"],
  },
  plugins: {
    help: "list, check and create plugins",
    options: {
      ...JSON_OPTION,
      timeout: {
        value: duration,
        help: "the time that each import and each function may take",
      },
      project: { help: "write it into `.tau/plugins` of the current folder" },
      dir: { help: "write a folder with a `mod.ts`" },
    },
    actions: {
      list: {
        help:
          "load the plugins that a run here would load, and list each with its result",
        options: ["json", "timeout"],
      },
      check: {
        words: "FILE",
        help: "load one plugin and check its types",
        options: ["json", "timeout"],
      },
      new: {
        words: "NAME",
        help: "write a plugin to start from, into `TAU_HOME/plugins`",
        options: ["project", "dir"],
      },
      types: {
        help: "print the TypeScript declarations of the plugin API",
        options: [],
      },
    },
    examples: ["plugins new hello", "plugins check hello.ts"],
  },
  permissions: {
    help: "show what a run with these options may touch",
    options: { ...SESSION_RUN_OPTIONS, ...JSON_OPTION },
    examples: ["permissions", "permissions --profile strict --json"],
  },
  doctor: {
    help:
      "check what this machine offers to runs; ends with 1 when something is missing",
    options: JSON_OPTION,
    examples: ["doctor", "doctor --json"],
  },
  proxy: {
    help:
      "lend the keys of this machine to runs elsewhere; prints a token for them",
    options: PROXY_OPTIONS,
    examples: ["proxy", "proxy --port 8080 --host 10.0.0.5"],
  },
  schema: {
    help: "print a JSON Schema",
    options: {},
    actions: {
      line: {
        help: "any line of `--output-format stream-json`",
      },
      header: { help: "the first of these lines" },
      event: { help: "an event" },
      result: {
        help:
          "the result record, which is all that `--output-format json` prints",
      },
      rpc: { help: "any line that `tau rpc` prints" },
      settings: { help: "a settings file" },
    },
    examples: ["schema result", "schema settings > settings.schema.json"],
  },
  completions: {
    help:
      "print a script that completes commands, options and their values in a shell",
    options: {},
    actions: {
      bash: { help: "for bash" },
      zsh: { help: "for zsh; a file `_tau` in a folder of `fpath`" },
      fish: { help: "for fish" },
    },
    needsAction: true,
    examples: [
      "completions bash > ~/.local/share/bash-completion/completions/tau",
      "completions zsh > ~/.zfunc/_tau",
    ],
  },
  trust: {
    help: "use the `.tau` of the current folder in later runs",
    options: { remove: { help: "take the decision back" } },
    examples: ["trust", "trust --remove"],
  },
  licenses: {
    help: "print the licences of tau and of its parts",
    options: {},
    examples: ["licenses", "licenses > LICENSES.txt"],
  },
  help: {
    words: "[COMMAND]",
    help: "show all commands and options, or those of a command",
    options: {},
    examples: ["help", "help sessions"],
  },
  version: {
    help: "show the version and the form of the program",
    options: {},
    examples: ["version", "--version"],
  },
} as const satisfies Record<string, Command>;

/** The name of a command; empty for running a prompt. */
export type CommandName = keyof typeof COMMANDS;

/** A command line that was understood. */
export interface CommandLine<Name extends CommandName = CommandName> {
  command: Name;
  given: Given<(typeof COMMANDS)[Name]["options"]>;
  /** The words, for a command with actions the name of the action first. */
  words: string[];
  /** The words of the prompt behind `--`, where nothing has a meaning. */
  literal: string[];
}
