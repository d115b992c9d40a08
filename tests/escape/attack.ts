import type { JsonObject } from "../../src/model/content.ts";
import type { Need } from "../support/needs.ts";

/** A way by which a run reaches the system: the built-in file tools, code of a plugin, commands of bash, commands of a plugin. */
export type Door = "tool" | "code" | "bash" | "child";

/** The doors, in the order in which they are told. */
export const DOORS: readonly Door[] = ["tool", "code", "bash", "child"];

/** What stands between a run and the system. */
export type Ring = keyof typeof RULES;

/** The rules of each ring; each of them is taken away once to see what it holds. */
export const RULES = {
  /** Ring 1, the file tools. */
  operations: [
    "roots",
    "real path",
    "re-check",
    "secrets",
    "protected names",
    "protected .envrc",
    "protected files",
    "kinds of files",
  ],
  /** Ring 2, Deno's permissions of the kernel. */
  flags: [
    "read roots",
    "write roots",
    "denied reads",
    "denied writes",
    "network",
    "imports",
    "machine",
    "foreign code",
    "all access",
  ],
  /** Ring 3, the system around the kernel and its children. */
  sandbox: [
    "read-only system",
    "mounts apart",
    "secrets hidden",
    "temporary folders",
    "runtime folders",
    "devices",
    "protected files",
    "folders of protected files",
    "settings of the system",
    "network",
    "unix sockets",
    "system calls",
    "processes",
    "shared memory",
    "privileges",
    /** What two of these hold, each by itself. */
    "twice",
  ],
  /** What the host gives the kernel. */
  environment: ["allow list"],
  /** What the host refuses to do for the kernel. */
  host: ["fetch"],
} as const;

/** The rings, from the inside out. */
export const RINGS = Object.keys(RULES) as Ring[];

/** What of each ring holds an attack with no other ring around; of several rules each is needed. */
export type Holds = { [R in Ring]?: Rule<R> | Rule<R>[] };

/** A rule of a ring. */
export type Rule<R extends Ring = Ring> = typeof RULES[R][number];

/** What an attacker wants, and how it is seen that he got it. */
export type Goal =
  /** A secret text comes out in the result of the call. */
  | { reads: Canary }
  /** A file or folder looks different, is new, or is gone. */
  | { changes: string }
  /** A listener of the test counts somebody. */
  | { reaches: Listener }
  /** The process of the test that waits outside is dead. */
  | { kills: true }
  /** A process is alive when the run is over. */
  | { outlives: true }
  /** The result says ESCAPED: the system did what was asked. */
  | { does: string };

/** Texts that nobody inside should see; the names of `EscapePlace`'s. */
export type Canary = typeof CANARIES[number];

/** Where they are stands in `tests/support/escape_place.ts`. */
export const CANARIES = [
  "outside",
  "outside name",
  "home secret",
  "temporary",
  "shared memory",
  "runtime",
  "key",
  "process",
] as const;

/** What counts who comes. */
export type Listener = typeof LISTENERS[number];

/** Ports and sockets of the test. */
export const LISTENERS = [
  "tcp",
  "tcp6",
  "other address",
  "udp",
  "socket file",
  "runtime socket",
  "abstract socket",
] as const;

/** A call of a tool. */
export interface Act {
  tool: string;
  arguments: JsonObject;
}

/** One way of an attack: what one door takes, or several calls, of which any may bring the prey. */
export type Attempt =
  & { act: string | Act | Act[] }
  & (
    /** Refused, by each of these rings alone. */
    | { by: Holds }
    /** Done, and the change of this file is told: nothing can hold it. */
    | { flagged: string }
    /** Done: nothing holds it, as `tau doctor` says in these words. */
    | { open: string }
  );

/** An attack and the doors that it fits. Texts hold `{names}` of places, see `EscapePlace`. */
export interface Attack {
  name: string;
  wants: Goal;
  /** A script that the test runs in the working folder before each attempt. */
  setUp?: string;
  /** Where the attack cannot be tried on every machine. */
  needs?: Need;
  tool?: Attempt;
  code?: Attempt;
  bash?: Attempt;
  child?: Attempt;
}

/** An attack through one door. */
export interface Row {
  /** `door: attack`. */
  name: string;
  door: Door;
  attack: Attack;
  attempt: Attempt;
}

/** The rows of a table. */
export function rowsOf(attacks: readonly Attack[]): Row[] {
  return attacks.flatMap((attack) =>
    DOORS.flatMap((door) => {
      const attempt = attack[door];
      return attempt
        ? [{ name: `${door}: ${attack.name}`, door, attack, attempt }]
        : [];
    })
  );
}

/** The rules of a ring that hold a row; none where the ring does not have to. */
export function rulesOf({ attempt }: Row, ring: Ring): Rule[] {
  const rules = "by" in attempt ? attempt.by[ring] : undefined;
  return rules === undefined ? [] : [rules].flat();
}

/** The calls of an attempt; a text is what its door takes. */
export function actsOf({ door, attempt: { act } }: Row): Act[] {
  if (Array.isArray(act)) return act;
  if (typeof act !== "string") return [act];
  if (door === "code") return [code(act)];
  return [door === "child" ? child(act) : bash(act)];
}

/** An attempt that rings hold, as in `flags network · sandbox mounts apart, twice`. */
export function held(act: Attempt["act"], rules: string): Attempt {
  const by = Object.fromEntries(
    rules.split(" · ").map((part) => {
      const [, ring = "", names = ""] = /^(\w+) (.+)$/.exec(part) ?? [];
      const known: readonly string[] = RULES[ring as Ring] ?? [];
      const [first, ...more] = names.split(", ");
      for (const name of [first, ...more]) {
        if (!known.includes(name as string)) {
          throw new Error(`No rule: ${part}`);
        }
      }
      return [ring, more.length > 0 ? [first, ...more] : first];
    }),
  );
  return { act, by: by as Holds };
}

/** The same command by bash and by a plugin; rules that hold it are written as in {@linkcode held}. */
export function commands(
  act: string,
  outcome: string | { flagged: string } | { open: string },
): Pick<Attack, "bash" | "child"> {
  const attempt = typeof outcome === "string"
    ? held(act, outcome)
    : { act, ...outcome };
  return { bash: attempt, child: attempt };
}

/** Code of a plugin: the body of a function that is given `tau`. */
export function code(text: string): Act {
  return { tool: "run_code", arguments: { code: text } };
}

/** A command of a plugin. */
export function child(command: string): Act {
  return { tool: "run_child", arguments: { command } };
}

/** A command of the model. */
export function bash(command: string): Act {
  return { tool: "bash", arguments: { command } };
}

/** A call of the tool `read`. */
export function read(path: string, more: JsonObject = {}): Act {
  return { tool: "read", arguments: { path, ...more } };
}

/** A call of the tool `write`. */
export function write(path: string, more: JsonObject = {}): Act {
  return { tool: "write", arguments: { path, content: "changed\n", ...more } };
}

/** A call of the tool `edit` of a file that holds `before`. */
export function edit(path: string): Act {
  const edits = [{ oldText: "before", newText: "changed" }];
  return { tool: "edit", arguments: { path, edits } };
}

/** A call of a tool that looks through a folder. */
export function search(tool: "grep" | "find" | "ls", path: string): Act {
  const pattern = tool === "grep" ? "CANARY" : "*";
  return {
    tool,
    arguments: tool === "ls" ? { path } : { path, pattern },
  };
}
