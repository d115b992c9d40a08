import type {
  PermissionOptions,
  SandboxRequest,
} from "../host/run_permissions.ts";
import type { NetPolicy } from "../policy/net_policy.ts";
import { type Profile, PROFILES } from "../policy/permission_policy.ts";
import { parseFileName } from "./option_values.ts";

/** Options that say what a run may touch. */
export interface PermissionFlags {
  sandbox?: SandboxRequest;
  profile?: Profile;
  "add-dir"?: readonly string[];
  "allow-read"?: readonly string[];
  "allow-write"?: readonly string[];
  "allow-net"?: NetPolicy;
  "pass-env"?: readonly string[][];
}

/** How they are scanned. */
export const permissionFlags = {
  sandbox: {
    kind: "enum",
    values: ["auto", "require", "off"],
    optional: true,
    brief: "whether commands are confined by the system",
  },
  profile: {
    kind: "enum",
    values: PROFILES,
    optional: true,
    brief: "how much the run may touch",
  },
  "add-dir": path("work in this folder, too"),
  "allow-read": path("let it read this"),
  "allow-write": path("let it write this folder"),
  "allow-net": {
    kind: "parsed",
    parse: parseNet,
    optional: true,
    brief: "let it use the network",
  },
  "pass-env": {
    kind: "parsed",
    parse: parseVariables,
    optional: true,
    variadic: true,
    brief: "let commands see these variables",
  },
} as const;

/** What a run may touch by the options of the command line. */
export function permissionChoice(flags: PermissionFlags): PermissionOptions {
  return {
    sandbox: flags.sandbox,
    profile: flags.profile,
    addDirs: flags["add-dir"],
    allowRead: flags["allow-read"],
    allowWrite: flags["allow-write"],
    net: flags["allow-net"],
    passEnv: flags["pass-env"]?.flat(),
  };
}

function path<Brief extends string>(brief: Brief): {
  kind: "parsed";
  parse: typeof parseFileName;
  optional: true;
  variadic: true;
  brief: Brief;
} {
  return {
    kind: "parsed",
    parse: parseFileName,
    optional: true,
    variadic: true,
    brief,
  };
}

/** The value that stands for none, since a word of the prompt may follow. */
const WHOLE_NET = "*";
const HOST =
  /^(?:(?:\*\.)?[a-z\d_](?:[a-z\d_.-]*[a-z\d_.])?|\[[\da-f:.]+\])(?::(?<port>\d{1,5}))?$/;
const MAX_PORT = 65_535;

/** A bare `--allow-net` takes no word of the prompt for its value. */
export function withWholeNet(args: readonly string[]): string[] {
  return args.map((arg) =>
    arg === "--allow-net" ? `--allow-net=${WHOLE_NET}` : arg
  );
}

function parseNet(text: string): NetPolicy {
  if (text === WHOLE_NET) return "all";
  const hosts = text.split(",").map((host) => host.trim().toLowerCase());
  if (hosts.every(isHost)) return hosts;
  throw new Error("expected hosts between commas, such as example.com");
}

/** A name, an IPv4 address or a bracketed IPv6 one, as they stand in addresses. */
function isHost(text: string): boolean {
  const found = HOST.exec(text);
  const port = Number(found?.groups?.port ?? 1);
  return found !== null && port > 0 && port <= MAX_PORT;
}

/** Names of variables. */
function parseVariables(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.every((name) => /^[A-Za-z_]\w*$/.test(name))) return names;
  throw new Error("expected names between commas, such as FOO,BAR");
}
