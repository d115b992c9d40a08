import type { FileOperations } from "../../src/operations/file_operations.ts";
import type { FileSystemCalls } from "../../src/operations/guarded_paths.ts";
import { createLocalFileOperations } from "../../src/operations/local_file_operations.ts";
import { putFiles } from "./put_files.ts";
import { inTempFolder } from "./temp_folder.ts";

/** What came of calls between whose steps a folder became a link, and a folder again. */
export interface SwapCount {
  /** Bytes from outside were read, or bytes were written there. */
  escapes: number;
  refused: number;
  /** The swap came too early or too late to matter. */
  done: number;
}

const SECRET = "secret";
const MINE = "mine";
/** Calls of Deno that one operation makes at most. */
const MAX_CALLS = 24;

/** Reads a file inside a root again and again, with the folder swapped before two random calls of Deno. */
export function swapWhileReading(
  times: number,
  seed: number,
): Promise<SwapCount> {
  return swapWhile(times, seed, async (operations, path) => {
    const file = await operations.openFile(path);
    try {
      const buffer = new Uint8Array(100);
      const count = await file.read(buffer) ?? 0;
      const text = new TextDecoder().decode(buffer.subarray(0, count));
      return text.includes(SECRET);
    } finally {
      file.close();
    }
  });
}

/** As {@linkcode swapWhileReading}, for writes of a file that is there or a new one. */
export function swapWhileWriting(
  times: number,
  seed: number,
): Promise<SwapCount> {
  let count = 0;
  return swapWhile(times, seed, async (operations, path) => {
    const target = count++ % 2 === 0 ? path : `${path}${count}`;
    await operations.writeFile(target, new TextEncoder().encode("written"));
    return false;
  });
}

async function swapWhile(
  times: number,
  seed: number,
  act: (operations: FileOperations, path: string) => Promise<boolean>,
): Promise<SwapCount> {
  const found: SwapCount = { escapes: 0, refused: 0, done: 0 };
  const random = randomFrom(seed);
  await inTempFolder(async (root) => {
    await putFiles(root, { "ws/in/f": MINE, "away/f": SECRET });
    for (let i = 0; i < times; i++) {
      const swap = new FolderSwap(root, [
        Math.floor(random() * MAX_CALLS),
        Math.floor(random() * MAX_CALLS),
      ]);
      const roots = [`${root}/ws`];
      const operations = createLocalFileOperations({
        policy: { readRoots: roots, writeRoots: roots },
        calls: swap.calls,
      });
      try {
        if (await act(operations, `${root}/ws/in/f`)) found.escapes++;
        found.done++;
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        found.refused++;
      }
      swap.restore();
      found.escapes += writtenOutside(`${root}/away`);
    }
  });
  return found;
}

/** Files outside that hold what they did not; a new file without a byte in it is taken away. */
function writtenOutside(away: string): number {
  let count = 0;
  for (const { name } of Deno.readDirSync(away)) {
    const text = Deno.readTextFileSync(`${away}/${name}`);
    if (text === (name === "f" ? SECRET : "")) {
      if (name !== "f") Deno.removeSync(`${away}/${name}`);
      continue;
    }
    count++;
    Deno.removeSync(`${away}/${name}`);
    Deno.writeTextFileSync(`${away}/f`, SECRET);
  }
  return count;
}

/** Puts a link to a folder outside in the place of a folder, and the folder back, before given calls. */
class FolderSwap {
  readonly #root: string;
  #isSwapped = false;
  readonly calls: FileSystemCalls;

  constructor(root: string, moments: readonly number[]) {
    this.#root = root;
    let made = 0;
    const before = () => {
      for (const moment of moments) if (moment === made) this.#toggle();
      made++;
    };
    this.calls = new Proxy(Deno, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          before();
          return Reflect.apply(value, target, args);
        };
      },
    });
  }

  restore(): void {
    if (this.#isSwapped) this.#toggle();
  }

  #toggle(): void {
    const place = `${this.#root}/ws/in`;
    if (this.#isSwapped) Deno.removeSync(place);
    const [from, to] = [place, `${this.#root}/was`];
    if (this.#isSwapped) Deno.renameSync(to, from);
    else {
      Deno.renameSync(from, to);
      Deno.symlinkSync(`${this.#root}/away`, place);
    }
    this.#isSwapped = !this.#isSwapped;
  }
}

/** Numbers from 0 to 1 that a seed determines. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
