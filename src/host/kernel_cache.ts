import type { KernelProgram } from "./kernel_program.ts";
import { filePath } from "./file_path.ts";
import { kernelCommand } from "./kernel_command.ts";
import { within } from "./within.ts";

/** More than the compiled code of a kernel ever is. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_MAKE_MS = 5000;
/** Characters of a program's path that tell it from others. */
const MAX_PLACE = 150;
/** Programs whose code is kept. */
const MAX_KEPT = 6;

/**
 * The code of the kernel as V8 has compiled it, which is half of the time that
 * a kernel takes to start. A kernel in a sandbox can neither write Deno's cache
 * nor read it reliably, since databases want to be locked: each gets a copy of
 * what was made once, outside of any run. What it makes of its copy is lost.
 */
export class KernelCache {
  readonly #program: KernelProgram;
  readonly #folder: string;

  private constructor(program: KernelProgram, folder: string) {
    this.#program = program;
    this.#folder = folder;
  }

  /** That of a bundle; undefined for other programs, and where there is no `TAU_HOME` to keep it in. */
  static of(
    program: KernelProgram,
    home: string | undefined,
  ): KernelCache | undefined {
    const isBundle = !program.config && program.selfArgument === undefined &&
      program.entry.pathname.endsWith(".js");
    if (!isBundle || home === undefined) return undefined;
    const changedMs = modifiedMs(program.entry);
    if (changedMs === undefined) return undefined;
    // In an archive all files are equally old, in folders that differ.
    const place = encodeURIComponent(program.entry.pathname).slice(-MAX_PLACE);
    const key = `${Deno.version.deno}-${Math.round(changedMs)}-${place}`;
    return new KernelCache(program, `${home}/cache/kernel/${key}`);
  }

  /** A copy in a new folder below `parent`; undefined while there is none to copy. */
  copyBelow(parent: string): { path: string; remove(): void } | undefined {
    let path: string | undefined;
    try {
      const files = [...Deno.readDirSync(this.#folder)]
        .filter(({ isFile }) => isFile).map(({ name }) => name);
      const sizes = files.map((name) =>
        Deno.statSync(`${this.#folder}/${name}`).size
      );
      if (sizes.reduce((sum, size) => sum + size, 0) > MAX_BYTES) {
        return undefined;
      }
      path = Deno.makeTempDirSync({ dir: parent, prefix: "tau-code-" });
      for (const name of files) {
        Deno.copyFileSync(`${this.#folder}/${name}`, `${path}/${name}`);
      }
      return removable(path);
    } catch {
      // It makes the start quicker, and nothing else.
      if (path !== undefined) removable(path).remove();
      return undefined;
    }
  }

  /** Removes the copies of other versions when there are many: few are used any more. */
  #makeRoom(): void {
    const parent = this.#folder.slice(0, this.#folder.lastIndexOf("/"));
    if (!isThere(parent)) return;
    const kept = [...Deno.readDirSync(parent)];
    if (kept.length >= MAX_KEPT) Deno.removeSync(parent, { recursive: true });
  }

  /** Makes it where it is not there; with the given flags of V8, by which code differs. Never rejects. */
  async make(flags: readonly string[]): Promise<void> {
    const beside = `${this.#folder}.${crypto.randomUUID()}`;
    try {
      if (isThere(this.#folder)) return;
      this.#makeRoom();
      Deno.mkdirSync(beside, { recursive: true, mode: 0o700 });
      await startOnce(this.#program, { flags, cache: beside });
      await tidy(beside);
      Deno.renameSync(beside, this.#folder);
    } catch {
      removable(beside).remove();
    }
  }
}

/**
 * Deno ends without closing its databases: most of what it wrote stands in
 * logs, which whoever opens them next has to read first.
 */
async function tidy(cache: string): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite");
  for (const { name, isDirectory } of [...Deno.readDirSync(cache)]) {
    const path = `${cache}/${name}`;
    if (isDirectory) Deno.removeSync(path, { recursive: true });
    else if (!name.includes("-")) {
      const database = new DatabaseSync(path);
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      // The last one to close it removes the log, too.
      database.close();
    }
  }
}

/** A kernel that is told nothing loads all that it is made of, and ends. It may read itself and touch nothing else. */
async function startOnce(
  program: KernelProgram,
  { flags, cache }: { flags: readonly string[]; cache: string },
): Promise<void> {
  const [executable = "", ...args] = kernelCommand(
    program,
    [
      "--quiet",
      "--no-prompt",
      `--allow-read=${filePath(new URL("..", program.entry))}`,
      ...flags.filter((flag) => flag.startsWith("--v8-flags")),
    ],
  );
  const child = new Deno.Command(executable, {
    args,
    clearEnv: true,
    env: { DENO_DIR: cache, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  if (await within(MAX_MAKE_MS, child.status)) return;
  child.kill("SIGKILL");
  await child.status;
  throw new Error("the kernel does not end");
}

function removable(path: string): { path: string; remove(): void } {
  return {
    path,
    remove() {
      try {
        Deno.removeSync(path, { recursive: true });
      } catch {
        // Somebody tidied up.
      }
    },
  };
}

function isThere(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

function modifiedMs(file: URL): number | undefined {
  try {
    return Deno.statSync(file).mtime?.getTime();
  } catch {
    return undefined;
  }
}
