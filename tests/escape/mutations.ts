import {
  eachOption,
  hides,
  isRoot,
  type LaunchChange,
  withUnixSockets,
} from "./launch_change.ts";
import type { SourceEdit } from "../support/escape_source.ts";
import { type Ring, type Row, type Rule, RULES, rulesOf } from "./attack.ts";

/** A ring that lacks one thing. */
export interface Mutation {
  ring: Ring;
  name: string;
  /** The rules that are gone with it, the one that is meant first: rows that one of these holds turn red, and no others. */
  breaks: Rule[];
  /** Changes of the kernel's source. */
  edits?: SourceEdit[];
  launch?: LaunchChange;
}

const POLICY = "src/policy/path_policy.ts";
const GUARDED = "src/operations/guarded_paths.ts";

const HOME_OR_SYSTEM = /\/tau-escape-[^/]+\/home\/|^\/etc\//;

const NO_RECHECK: SourceEdit = {
  file: GUARDED,
  from: `): Promise<void> {
  const now`,
  to: `): Promise<void> {
  return;
  const now`,
};

/** All but one of their own users. */
const OTHER_NAMESPACES = [
  ...["--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts"],
  "--unshare-cgroup-try",
];

const ANY_KIND: SourceEdit = {
  file: "src/operations/local_file_operations.ts",
  from: "if (!stat.isFile) throw new NotRegularFileError(kindOf(stat));",
  to: "",
};

/** What the file tools are when they ask nobody. */
export const NO_OPERATIONS: SourceEdit[] = [
  NO_RECHECK,
  ANY_KIND,
  {
    file: GUARDED,
    from: "if (reason === undefined) return;",
    to: "return;",
  },
];

/** Each ring without one of its rules, one after the other. */
export const MUTATIONS: readonly Mutation[] = [
  {
    ring: "operations",
    name: "everything lies in a root",
    breaks: ["roots"],
    edits: [{
      file: POLICY,
      from: "const root = rootOf(roots, realPath);",
      to: 'const root = rootOf(roots, realPath) ?? "/";',
    }],
  },
  {
    ring: "operations",
    name: "links are not followed",
    breaks: ["real path", "re-check"],
    edits: [NO_RECHECK, {
      file: "src/operations/guarded_paths.ts",
      from: "normalizePath(await calls.realPath(path))",
      to: "normalizePath((await calls.realPath(path), path))",
    }, {
      file: "src/operations/guarded_paths.ts",
      from: "const target = await linkTarget(missing.path);",
      to: "const target = undefined;",
    }, {
      file: "src/operations/search_operations.ts",
      from: "real = Deno.realPathSync(path);",
      to: "real = (Deno.realPathSync(path), path);",
    }],
  },
  {
    ring: "operations",
    name: "nobody looks again after opening",
    breaks: ["re-check"],
    edits: [NO_RECHECK],
  },
  {
    ring: "operations",
    name: "keys are files like others",
    breaks: ["secrets"],
    edits: [{
      file: POLICY,
      from: "const secret = secretOf(policy, root, realPath);",
      to: "const secret = undefined;",
    }],
  },
  {
    ring: "operations",
    name: "no name is protected",
    breaks: ["protected names", "protected .envrc"],
    edits: [{
      file: POLICY,
      from: "return protectedName(root, realPath) ??",
      to: "return undefined ??",
    }],
  },
  {
    ring: "operations",
    name: "one name is not protected",
    breaks: ["protected .envrc"],
    edits: [{ file: POLICY, from: '  ".envrc",\n', to: "" }],
  },
  {
    ring: "operations",
    name: "nothing is protected, by its name or by its path",
    breaks: ["protected files", "protected names", "protected .envrc"],
    edits: [{
      file: POLICY,
      from: "const name = nameOfProtected(policy, root, realPath);",
      to: "const name = undefined;",
    }],
  },
  {
    ring: "operations",
    name: "pipes and devices are read as files",
    breaks: ["kinds of files"],
    edits: [ANY_KIND],
  },
  flag("everything can be read", ["read roots"], {
    "--allow-read": "--allow-read",
  }),
  flag("everything can be written", ["write roots"], {
    "--allow-write": "--allow-write",
  }),
  flag("no reads are denied", ["denied reads"], { "--deny-read": undefined }),
  flag("no writes are denied", ["denied writes"], {
    "--deny-write": undefined,
  }),
  flag("connecting is allowed", ["network"], {}, ["--allow-net"]),
  flag("modules come from servers", ["imports"], {}, ["--allow-import"]),
  flag("facts about the machine are told", ["machine"], {
    "--allow-sys": "--allow-sys",
  }),
  flag("foreign code can be loaded", ["foreign code"], {}, ["--allow-ffi"]),
  {
    ring: "flags",
    name: "all is allowed",
    breaks: [
      "all access",
      ...RULES.flags.filter((rule) => rule !== "all access"),
    ],
    launch: {
      flags: (flags) => [
        "-A",
        ...flags.filter((flag) => !/^--(allow|deny)-/.test(flag)),
      ],
    },
  },
  bubblewrap(
    "the system can be written",
    ["read-only system"],
    (option) => isRoot(option) ? ["--bind", "/", "/"] : option,
  ),
  bubblewrap(
    "the workspace is no mount of its own",
    ["mounts apart", "read-only system", "folders of protected files"],
    (option) =>
      isRoot(option)
        ? ["--bind", "/", "/"]
        : option[0] === "--bind"
        ? []
        : option,
  ),
  bubblewrap(
    "keys are not hidden",
    ["secrets hidden"],
    (option) => hides(option, HOME_OR_SYSTEM) ? [] : option,
  ),
  bubblewrap(
    "temporary folders are not hidden",
    ["temporary folders"],
    (option) => hides(option, /^\/(tmp|var\/tmp)$/) ? [] : option,
  ),
  bubblewrap(
    "runtime folders are not hidden",
    ["runtime folders"],
    (option) => hides(option, /\/tau-escape-[^/]+\/run$/) ? [] : option,
  ),
  bubblewrap(
    "the devices are those of the machine",
    ["devices"],
    (option) => option[0] === "--dev" ? ["--dev-bind", "/dev", "/dev"] : option,
  ),
  bubblewrap(
    "protected files can be written",
    ["protected files"],
    (option) =>
      option[0] === "--ro-bind" && /\/work\/./.test(option[2] ?? "")
        ? []
        : option,
  ),
  bubblewrap(
    "folders of protected files can be moved",
    ["folders of protected files"],
    (option) =>
      option[0] === "--bind" && /\/work\/.git$/.test(option[2] ?? "")
        ? []
        : option,
  ),
  bubblewrap(
    "settings of the system can be written",
    ["settings of the system"],
    (option) => option[2] === "/proc/sys" ? [] : option,
  ),
  bubblewrap(
    "the network is shared",
    ["network"],
    (option) =>
      option[0] === "--unshare-all" ? ["--unshare-all", "--share-net"] : option,
  ),
  {
    ring: "sandbox",
    name: "unix sockets are allowed",
    breaks: ["unix sockets"],
    launch: { command: withUnixSockets },
  },
  bubblewrap(
    "system calls are not filtered",
    ["system calls", "unix sockets"],
    (option) => option[0] === "--seccomp" ? [] : option,
  ),
  bubblewrap(
    "processes are those of the machine",
    ["processes"],
    (option) =>
      option[0] === "--unshare-all"
        ? ["--unshare-net", "--unshare-ipc", "--unshare-uts"]
        : option[0] === "--proc"
        ? ["--dev-bind", "/proc", "/proc"]
        : option,
  ),
  bubblewrap(
    "shared memory is that of the machine",
    ["shared memory"],
    (option) =>
      option[0] === "--unshare-all"
        ? ["--unshare-net", "--unshare-pid", "--unshare-uts"]
        : option,
  ),
  bubblewrap(
    "nothing is taken of its privileges",
    ["privileges"],
    (option) =>
      option[0] === "--unshare-all"
        ? OTHER_NAMESPACES
        : option[0] === "--cap-drop"
        ? ["--cap-add", "ALL"]
        : option,
  ),
  {
    ring: "sandbox",
    name: "there is nothing but the command",
    breaks: ["twice", ...RULES.sandbox.filter((rule) => rule !== "twice")],
    launch: {
      command: (words) =>
        words.slice(words.indexOf("--", words.indexOf("--unshare-all")) + 1),
    },
  },
  {
    ring: "environment",
    name: "all variables are passed on",
    breaks: ["allow list"],
    launch: { environment: (given, all) => ({ ...all, ...given }) },
  },
  {
    ring: "host",
    name: "fetch goes anywhere",
    breaks: ["fetch"],
    launch: { opensFetch: true },
  },
];

/** The rows that show what a mutation does: all that its rule holds, and one of each other rule. */
export function rowsFor(
  { ring, breaks }: Mutation,
  rows: readonly Row[],
): Row[] {
  const seen = new Set<string>();
  return rows.filter((row) => {
    const rules = rulesOf(row, ring);
    if (rules.length === 0) return false;
    const kind = rules.join();
    if (rules.includes(breaks[0] as Rule) || !seen.has(kind)) {
      seen.add(kind);
      return true;
    }
    return false;
  });
}

/** The mutation of that name. */
export function mutationOf(name: string): Mutation {
  const found = MUTATIONS.find((mutation) => mutation.name === name);
  if (found) return found;
  throw new Error(`There is no mutation "${name}"`);
}

function flag(
  name: string,
  breaks: Rule<"flags">[],
  changes: Record<string, string | undefined>,
  more: string[] = [],
): Mutation {
  return {
    ring: "flags",
    name,
    breaks,
    launch: {
      flags: (flags) => {
        const left = new Set(Object.keys(changes));
        const changed = flags.flatMap((flag) => {
          const name = flag.replace(/=.*/s, "");
          if (!left.delete(name)) return [flag];
          const to = changes[name];
          return to === undefined ? [] : [to];
        });
        if (left.size > 0) throw new Error(`There is no flag ${[...left]}`);
        return [...changed, ...more];
      },
    },
  };
}

function bubblewrap(
  name: string,
  breaks: Rule<"sandbox">[],
  change: (option: string[]) => string[],
): Mutation {
  return {
    ring: "sandbox",
    name,
    breaks,
    launch: { command: (words) => eachOption(words, change) },
  };
}
