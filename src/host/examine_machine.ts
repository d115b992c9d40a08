import { keyOf } from "../providers/presets.ts";
import { findBubblewrap } from "../sandbox/find_bubblewrap.ts";
import { seccompFilter } from "../sandbox/seccomp_filter.ts";
import { tauHome } from "../settings/tau_home.ts";
import {
  type Confinement,
  confinementOf,
  whyNoSandbox,
} from "./confinement.ts";
import { knownProviders } from "./known_providers.ts";
import type { RunOptions } from "./run_options.ts";

/** One thing that was looked at. */
export interface Finding {
  name: string;
  /** False where a run lacks something. */
  isFine: boolean;
  detail: string;
}

/** Facts about this machine that matter to runs. */
export interface MachineReport {
  findings: Finding[];
  /** For each door, what each ring holds. */
  doors: { door: string; operations: string; deno: string; system: string }[];
  /** Limits that nothing enforces here. */
  limits: string[];
  /** Providers, and whether there is a key for each; local ones need none. */
  keys: { provider: string; hasKey: boolean }[];
}

/** Looks at what runs need. Changes nothing. */
export async function examineMachine(
  { env, providers, permissions = {}, kernel }: Pick<
    RunOptions,
    "env" | "providers" | "permissions" | "kernel"
  >,
): Promise<MachineReport> {
  const confinement = await triedConfinement({
    env,
    permissions: { ...permissions, sandbox: "auto" },
  });
  const isCompiled = kernel.selfArgument !== undefined;
  return {
    findings: [
      { name: "deno", isFine: true, detail: versions() },
      bubblewrapFinding(confinement, env),
      filterFinding(),
      await namespaceFinding(),
      homeFinding(env),
    ],
    doors: doors(confinement, { isCompiled }),
    limits: limits(confinement, { isCompiled }),
    keys: knownProviders(providers)
      .filter(({ needsKey }) => needsKey)
      .map((provider) => ({
        provider: provider.name,
        hasKey: keyOf(provider, env) !== undefined,
      })),
  };
}

async function triedConfinement(
  options: Pick<RunOptions, "env" | "permissions">,
): Promise<Confinement> {
  const found = confinementOf(options, Deno.cwd());
  if (found.bubblewrap === undefined) return found;
  const reason = await whyNoSandbox(found.bubblewrap);
  return reason === undefined ? found : { requested: "auto", reason };
}

function versions(): string {
  const { os, arch } = Deno.build;
  return `${Deno.version.deno} on ${os} ${arch}`;
}

function bubblewrapFinding(
  { bubblewrap, reason }: Confinement,
  env: Record<string, string>,
): Finding {
  if (bubblewrap !== undefined) {
    return { name: "sandbox", isFine: true, detail: `${bubblewrap} works` };
  }
  const isThere = Deno.build.os === "linux" &&
    findBubblewrap(env.PATH ?? "", { writeRoots: [] }) !== undefined;
  const advice = isThere || Deno.build.os !== "linux"
    ? ""
    : '; install the package "bubblewrap"';
  return { name: "sandbox", isFine: false, detail: `${reason}${advice}` };
}

function filterFinding(): Finding {
  const { arch, os } = Deno.build;
  const isKnown = os === "linux" &&
    seccompFilter(arch, { unixSockets: false }) !== undefined;
  return {
    name: "system calls",
    isFine: isKnown,
    detail: isKnown ? "filtered" : `there is no filter for ${os} on ${arch}`,
  };
}

/** Settings of Linux that keep programs from making namespaces, and the value that does not. */
const NAMESPACE_SETTINGS: [path: string, isFine: (value: number) => boolean][] =
  [
    ["user/max_user_namespaces", (value) => value > 0],
    ["kernel/unprivileged_userns_clone", (value) => value === 1],
    ["kernel/apparmor_restrict_unprivileged_userns", (value) => value === 0],
  ];

async function namespaceFinding(): Promise<Finding> {
  const name = "user namespaces";
  if (Deno.build.os !== "linux") {
    return { name, isFine: false, detail: "only Linux has them" };
  }
  for (const [setting, isFine] of NAMESPACE_SETTINGS) {
    const text = await Deno.readTextFile(`/proc/sys/${setting}`).catch(() => {
      // This system does not know the setting.
    });
    if (text !== undefined && !isFine(Number(text))) {
      const key = setting.replace("/", ".");
      // Some systems have an exception for bubblewrap: only trying it tells.
      const detail = `${key} is ${text.trim()}, which may keep them away`;
      return { name, isFine: true, detail };
    }
  }
  return { name, isFine: true, detail: "no setting forbids them" };
}

function homeFinding(env: Record<string, string>): Finding {
  const name = "TAU_HOME";
  const home = tauHome(env);
  if (home === undefined) {
    const detail = "neither TAU_HOME nor HOME is set: no session is stored";
    return { name, isFine: false, detail };
  }
  // The nearest folder that exists decides whether it can be made.
  let folder = home;
  while (folder.includes("/") && !exists(folder)) {
    folder = folder.slice(0, folder.lastIndexOf("/")) || "/";
  }
  try {
    Deno.removeSync(Deno.makeTempFileSync({ dir: folder, prefix: ".tau-" }));
    return { name, isFine: true, detail: `${home} can be written` };
  } catch {
    const detail = `${home} cannot be written: no session is stored`;
    return { name, isFine: false, detail };
  }
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

function doors(
  { bubblewrap }: Confinement,
  { isCompiled }: { isCompiled: boolean },
): MachineReport["doors"] {
  const isConfined = bubblewrap !== undefined;
  const code = isCompiled
    ? "network"
    : "folders by name, network, variables, programs";
  return [
    {
      door: "file tools",
      operations: "folders by real path, protected names, secrets",
      deno: isCompiled ? "network" : "folders by name",
      system: isConfined ? "writing, secrets, network, /proc" : "nothing",
    },
    {
      door: "code in the kernel",
      operations: "nothing",
      deno: code,
      system: isConfined ? "writing, secrets, network, /proc" : "nothing",
    },
    {
      door: "commands",
      operations: "nothing",
      deno: "whether there are any",
      system: isConfined
        ? "writing, secrets, network, /proc, protected names that exist"
        : "nothing",
    },
  ];
}

function limits(
  { bubblewrap, reason }: Confinement,
  { isCompiled }: { isCompiled: boolean },
): string[] {
  return [
    ...(bubblewrap === undefined
      ? [
        `Commands are not confined (${reason}): they have your files, your network and your other programs; leave bash out with --tools, or run tau in a container or as another user`,
      ]
      : [
        "Changes to protected names that did not exist before, and in repositories made during the run, are reported at its end, not prevented",
        "Commands read the system and, but for its secrets, the home folder",
        "Code of plugins reads what commands read, where a link in the workspace leads there",
        "A file of the workspace that has a second name elsewhere is a file of the workspace",
        "A secret file, or one that starts programs, which somebody outside replaces during the run is open to commands from then on",
      ]),
    ...(isCompiled
      ? [
        "This is the compiled program: code in the kernel can read what commands can",
      ]
      : []),
  ];
}
