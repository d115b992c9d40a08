import type { Canary, Listener } from "../escape/attack.ts";
import { CANARIES } from "../escape/attack.ts";
import { Listeners, Victim } from "./escape_bait.ts";
import { denoDir } from "./host_run.ts";
import { putFiles } from "./put_files.ts";

/** What a run is to be kept from: folders, secret texts, listeners and a process, all made for one run. */
export interface EscapePlace extends AsyncDisposable {
  /** What `{names}` in the table stand for. */
  names: Record<string, string>;
  /** The environment of the program, keys included. */
  env: Record<string, string>;
  canaries: Record<Canary, string>;
  /** How often each listener was reached. */
  reached: Record<Listener, number>;
  /** Makes a file or folder as it was at first, if it is not. */
  restore(path: string): void;
  /** Starts the process that others want to kill, unless it is alive. */
  ensureVictim(): void;
  isVictimAlive(): boolean;
}

/** What a plugin needs to play any attack. */
const PLUGIN = `export default function (tau) {
  const answer = (text) => ({ content: [{ type: "text", text: text || "nothing" }] });
  const AsyncFunction = (async () => {}).constructor;
  tau.registerTool({
    name: "run_code",
    description: "Runs code in the plugin",
    parameters: tau.Type.Object({ code: tau.Type.String() }),
    async execute(_id, { code }) {
      try {
        return answer(String(await new AsyncFunction("tau", code)(tau)));
      } catch (error) {
        return answer("failed: " + error);
      }
    },
  });
  tau.registerTool({
    name: "run_child",
    description: "Runs a command from the plugin",
    parameters: tau.Type.Object({ command: tau.Type.String() }),
    async execute(_id, { command }) {
      const { stdout, stderr } = await tau.exec("bash", ["-c", command]);
      return answer(stdout + stderr);
    },
  });
}
`;

/** Files of the home folder that hold keys. */
const HOME_SECRETS = [
  ".ssh/id_ed25519",
  ".aws/credentials",
  ".netrc",
  ".npmrc",
  ".config/gh/hosts.yml",
  ".bash_history",
  ".git-credentials",
  ".tau/notes.txt",
  ".kube/config",
  ".local/share/fish/fish_history",
];

const REPOSITORY = `
  git init -q . && git config user.name a && git config user.email a@b
  mkdir -p .git/hooks .git/modules/sub/hooks .vscode .tau/plugins nested/.git/hooks
  echo '[core]' >nested/.git/config
  echo '[core]' >.git/modules/sub/config
  echo before >.envrc && echo before >.gitmodules && echo before >.mcp.json
  echo '{}' >.vscode/settings.json && echo '{}' >.tau/settings.json
  echo before >nested/.envrc && echo before >notes.txt
  printf '#!/bin/sh\\ntrue\\n' >.git/hooks/post-commit && chmod +x .git/hooks/post-commit
  git add notes.txt && git commit -qm first`;

/** Makes a place in the first folder that is neither hidden in a sandbox nor read-only. */
export async function makeEscapePlace(): Promise<EscapePlace> {
  const base = makeBase();
  const tag = crypto.randomUUID().slice(0, 8);
  const canaries = Object.fromEntries(
    CANARIES.map((name) => [name, `CANARY-${crypto.randomUUID()}`]),
  ) as Record<Canary, string>;
  const home = `${base}/home`;
  const places = {
    base,
    home,
    ws: `${home}/work`,
    away: `${base}/away`,
    before: `${base}.before`,
    run: `${base}/run`,
    tmp: `/tmp/tau-escape-${tag}`,
    vartmp: `/var/tmp/tau-escape-${tag}`,
    shm: `/dev/shm/tau-escape-${tag}`,
    tag,
    shmkey: String(0x40000000 + Math.floor(0x3fffffff * Math.random())),
    shmtext: canaries["shared memory"],
  };
  await putFiles(base, {
    ...Object.fromEntries(
      HOME_SECRETS.map((name) => [`home/${name}`, canaries["home secret"]]),
    ),
    "home/notes.txt": "before\n",
    "home/.bashrc": "before\n",
    "home/work/readme.txt": "before\n",
    "home/plugin/attack.js": PLUGIN,
    "away/s.txt": `${canaries.outside}\n`,
    "away/s.json": JSON.stringify({ text: canaries.outside }),
    "away/s.js": `export default ${JSON.stringify(canaries.outside)};\n`,
    "away/s.cjs": `module.exports = ${JSON.stringify(canaries.outside)};\n`,
    "away/s.ts": `export const text: string = "${canaries.outside}";\n`,
    "away/worker.js": `postMessage(${JSON.stringify(canaries.outside)});\n`,
    "away/victim.txt": "before\n",
    [`away/names/${canaries["outside name"]}`]: "",
    "run/token": canaries.runtime,
  });
  for (const path of [places.tmp, places.vartmp]) {
    await Deno.writeTextFile(path, canaries.temporary);
  }
  await Deno.writeTextFile(places.shm, canaries["shared memory"]);
  runSync(REPOSITORY, places.ws, { HOME: home });

  const listeners = new Listeners(places);
  await listeners.listenUdp();
  await Deno.writeTextFile(
    `${home}/.npmrc`,
    `@escape:registry=http://127.0.0.1:${listeners.names.tcp}/\n` +
      `//registry/:_authToken=${canaries["home secret"]}\n`,
  );
  runSync('cp -a "$FROM" "$TO"', base, { FROM: base, TO: places.before });
  const victim = new Victim(canaries.process, places.away);
  victim.ensure();
  return {
    canaries,
    reached: listeners.reached,
    names: {
      ...places,
      ...listeners.names,
      ...systemCalls(),
      get victim() {
        return String(victim.pid);
      },
      host: String(Deno.pid),
      origin: `http://127.0.0.1:${listeners.names.tcp}`,
    },
    env: {
      ...variables(home),
      XDG_RUNTIME_DIR: places.run,
      TMPDIR: "/tmp",
      OPENAI_API_KEY: canaries.key,
    },
    restore: (path) => restore(path, places),
    ensureVictim: () => victim.ensure(),
    isVictimAlive: () => victim.isAlive,
    async [Symbol.asyncDispose]() {
      await victim.end();
      await listeners.close();
      const { tmp, vartmp, shm, shmkey, before } = places;
      runSync(`perl -e 'shmctl(shmget(${shmkey}, 0, 0), 0, 0)'`, "/");
      const temporary = [
        tmp,
        `${tmp}-left`,
        `${tmp}-victim`,
        `${tmp}-pipe`,
        vartmp,
        shm,
      ];
      for (const path of [...temporary, base, before]) {
        await Deno.remove(path, { recursive: true }).catch(() => {});
      }
    },
  };
}

/** Runs a script to its end and fails with what it said. */
export function runSync(
  script: string,
  cwd: string,
  env: Record<string, string> = {},
): void {
  const { success, stderr } = new Deno.Command("bash", {
    args: ["-ec", script],
    cwd,
    env,
  }).outputSync();
  if (!success) {
    throw new Error(`${script}\n${new TextDecoder().decode(stderr)}`);
  }
}

/** What a file or folder looks like from outside. */
export function lookOf(path: string): string {
  try {
    const { isDirectory, isSymlink, mode, mtime } = Deno.lstatSync(path);
    if (isSymlink) return `link to ${Deno.readLinkSync(path)}`;
    if (!isDirectory) {
      return `${mode} ${mtime?.getTime()} ${Deno.readTextFileSync(path)}`;
    }
    const names = [...Deno.readDirSync(path)].map(({ name }) => name);
    return `${mode} ${names.sort()}`;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "nothing";
    if (error instanceof Deno.errors.NotADirectory) return "nothing";
    throw error;
  }
}

function restore(
  path: string,
  { base, before }: { base: string; before: string },
): void {
  if (!path.startsWith(`${base}/`)) return;
  const copyOf = (path: string) => before + path.slice(base.length);
  if (lookOf(path) === lookOf(copyOf(path))) return;
  if (isFile(path) && isFile(copyOf(path))) {
    // In place: a file that is replaced takes the mounts on it along.
    Deno.writeFileSync(path, Deno.readFileSync(copyOf(path)));
    const { mode, mtime } = Deno.statSync(copyOf(path));
    Deno.chmodSync(path, mode ?? 0o644);
    Deno.utimeSync(path, mtime ?? 0, mtime ?? 0);
    return;
  }
  let at = path;
  // Where its folder was moved away, that one is to be made again.
  for (let folder = parentOf(at); folder !== base; folder = parentOf(folder)) {
    if (lookOf(folder) === "nothing") at = folder;
  }
  const script = 'rm -rf "$AT"; [ ! -e "$FROM" ] || cp -a "$FROM" "$AT"';
  runSync(script, base, { AT: at, FROM: copyOf(at) });
}

function isFile(path: string): boolean {
  try {
    return Deno.lstatSync(path).isFile;
  } catch {
    return false;
  }
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/** Not below `/tmp`, which is hidden anyway. */
function makeBase(): string {
  const tried = [Deno.env.get("HOME") ?? "/", Deno.cwd(), "/opt", "/srv"];
  for (const dir of tried) {
    const isHidden = ["/tmp", "/var/tmp", "/run", "/dev"].some((hidden) =>
      `${dir}/`.startsWith(`${hidden}/`)
    );
    if (isHidden) continue;
    try {
      const path = Deno.makeTempDirSync({ dir, prefix: "tau-escape-" });
      return Deno.realPathSync(path);
    } catch {
      // It is not there, or read-only.
    }
  }
  throw new Error(
    `The escape tests need a folder to write in outside /tmp: ${tried}`,
  );
}

function variables(home: string): Record<string, string> {
  return {
    PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
    LANG: "C.UTF-8",
    HOME: home,
    DENO_DIR: denoDir(),
  };
}

/** Numbers of system calls, by `syscall` and their name. */
function systemCalls(): Record<string, string> {
  const isIntel = Deno.build.arch === "x86_64";
  const numbers = {
    ptrace: isIntel ? 101 : 117,
    process_vm_readv: isIntel ? 310 : 270,
    unshare: isIntel ? 272 : 97,
    mount: isIntel ? 165 : 40,
    setns: isIntel ? 308 : 268,
    add_key: isIntel ? 248 : 217,
    bpf: isIntel ? 321 : 280,
    perf_event_open: isIntel ? 298 : 241,
    userfaultfd: isIntel ? 323 : 282,
    kcmp: isIntel ? 312 : 272,
    syslog: isIntel ? 103 : 116,
    clone: isIntel ? 56 : 220,
    io_uring_setup: 425,
    clone3: 435,
    fsopen: 430,
    open_tree: 428,
    pidfd_open: 434,
    pidfd_getfd: 438,
  };
  return Object.fromEntries(
    Object.entries(numbers).map(([name, n]) => [`sys_${name}`, String(n)]),
  );
}
