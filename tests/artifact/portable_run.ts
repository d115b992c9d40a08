import { compiledProgram } from "../support/needs.ts";
import { inTempFolder } from "../support/temp_folder.ts";

/** The file of `deno task build`. */
export const PORTABLE =
  new URL("../../dist/tau-portable", import.meta.url).pathname;

/** The compiled form; empty where there is none. */
export const COMPILED = compiledProgram() ?? "";

/** The outcome of a portable file. */
export interface PortableRun {
  code: number;
  stdout: string;
  stderr: string;
}

/** A fresh place in which a portable file has never run. */
export interface Place {
  /** Holds all the rest. */
  folder: string;
  /** The folder that is to hold its cache. */
  cache: string;
  env: Record<string, string>;
}

/** Runs a test in a fresh place. */
export function inPortablePlace(
  test: (place: Place) => Promise<void>,
): Promise<void> {
  return inTempFolder(async (folder) => {
    const cache = `${folder}/cache`;
    await Deno.mkdir(`${folder}/tmp`);
    await test({
      folder,
      cache,
      env: {
        PATH: Deno.env.get("PATH") ?? "",
        TMPDIR: `${folder}/tmp`,
        TAU_HOME: `${folder}/tau-home`,
        XDG_CACHE_HOME: cache,
      },
    });
  });
}

/** Runs a program with nothing but the given variables. */
export async function run(
  command: string[],
  { env, cwd = "/" }: { env: Record<string, string>; cwd?: string },
): Promise<PortableRun> {
  const [program = "", ...args] = command;
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args,
    cwd,
    env,
    clearEnv: true,
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return {
    code,
    stdout: decoder.decode(stdout),
    stderr: decoder.decode(stderr),
  };
}

/** The names in a folder, sorted; each hash is replaced by a word. */
export async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of Deno.readDir(folder)) {
      names.push(/^[0-9a-f]{64}$/.test(name) ? "HASH" : name);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return names.sort();
}

/** The names in a cache into which the file was unpacked. */
export const UNPACKED = ["HASH", "deno-dir"];
