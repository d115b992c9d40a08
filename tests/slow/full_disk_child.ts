// Fills a small disk and lets the file tools write to it. Prints what came of
// it; run by the test, since only a process of its own sees such a disk.
import { fileTools } from "../support/file_tools.ts";

/** What the tools said, and how the disk looks afterwards. */
export interface FullDiskReport {
  /** There was room before the disk was filled. */
  freeAtStart: boolean;
  writeNew: string;
  writeOver: string;
  /** A file with another hard link. */
  writeInPlace: string;
  edit: string;
  editInPlace: string;
  /** Both files hold what they held before. */
  unchanged: boolean;
  names: string[];
  /** The same write once there is room. */
  writeWithRoom: string;
}

const [folder] = Deno.args;

/** No disk of the test holds more; this must never fill one of the machine. */
const MAX_FILLER_BYTES = 2 * 1024 * 1024;

const OLD = "old line\n".repeat(10_000);
const BIG = "new line\n".repeat(40_000);

async function report(folder: string): Promise<FullDiskReport> {
  const old = `first\n${OLD}`;
  await Deno.writeTextFile(`${folder}/old.txt`, old);
  await Deno.writeTextFile(`${folder}/linked.txt`, old);
  await Deno.link(`${folder}/linked.txt`, `${folder}/twin.txt`);
  const freeAtStart = await fill(`${folder}/filler`) > 100_000;

  const { write, edit } = fileTools(folder);
  const edits = [{ oldText: "first\n", newText: BIG }];
  const said = {
    writeNew: await write({ path: "new.txt", content: BIG }),
    writeOver: await write({ path: "old.txt", content: BIG }),
    writeInPlace: await write({ path: "linked.txt", content: BIG }),
    edit: await edit({ path: "old.txt", edits }),
    editInPlace: await edit({ path: "linked.txt", edits }),
  };
  const texts = await Promise.all(
    ["old.txt", "linked.txt"].map((name) =>
      Deno.readTextFile(`${folder}/${name}`)
    ),
  );
  const names = Array.from(Deno.readDirSync(folder), ({ name }) => name);
  await Deno.remove(`${folder}/filler`);
  return {
    freeAtStart,
    ...said,
    unchanged: texts.every((text) => text === old),
    names: names.sort(),
    writeWithRoom: await write({ path: "old.txt", content: BIG }),
  };
}

/** Writes until the disk is full; resolves to the bytes that it took. */
async function fill(path: string): Promise<number> {
  using file = await Deno.open(path, { write: true, createNew: true });
  const block = new Uint8Array(4096);
  let written = 0;
  while (written < MAX_FILLER_BYTES) {
    try {
      written += await file.write(block);
    } catch {
      return written;
    }
  }
  throw new Error(`${path} is on no small disk`);
}

if (folder === undefined) throw new Error("Name the folder of a small disk");
Deno.stdout.writeSync(
  new TextEncoder().encode(JSON.stringify(await report(folder))),
);
