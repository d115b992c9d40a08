import assert from "node:assert/strict";
import { call, say } from "../support/provider_double.ts";
import { inPlace } from "../support/tau_place.ts";

const OLD = Array.from({ length: 300 }, (_, n) => `old line ${n}\n`).join("");
const NEW = OLD.replaceAll("old line", "fresh line");

/** The image; a line that is new: in the call and the patch; one that is gone: in the cut diff too. */
const ONCE = [1, 2, 3];

Deno.test("tau stores an image and each form of a change once, also when it goes on", async () => {
  await inPlace({
    script: [
      // At once, so that one of the results is stored before its message.
      say(
        "",
        call("read", { path: "noise.png" }),
        call("edit", {
          path: "a.txt",
          edits: [{ oldText: OLD, newText: NEW }],
        }),
        call("bash", { command: "sleep 0.1" }),
      ),
      say("done"),
      say("again"),
    ],
  }, async ({ ask, only, cwd }) => {
    const picture = await noise(150);
    await Deno.writeFile(`${cwd}/noise.png`, picture);
    await Deno.writeTextFile(`${cwd}/a.txt`, OLD);
    const first = await ask(["go"]);
    assert.equal(first.stdout, "done\n", first.stderr);
    const count = async () => {
      const text = await Deno.readTextFile(only().path);
      const inMiddle = picture.toBase64().slice(30_000, 30_100);
      return [inMiddle, "fresh line 299", "old line 299"].map((part) =>
        text.split(part).length - 1
      );
    };
    assert.deepEqual(await count(), ONCE);
    const { size } = await Deno.stat(only().path);

    const second = await ask(["-c", "and now?"]);
    assert.equal(second.stdout, "again\n", second.stderr);
    assert.deepEqual(await count(), ONCE);
    const grown = (await Deno.stat(only().path)).size - size;
    assert(grown < 5000, `${grown} bytes more`);
  });
});

/** A picture that no format makes small. */
async function noise(width: number): Promise<Uint8Array<ArrayBuffer>> {
  const canvas = new OffscreenCanvas(width, width);
  const pixels = new ImageData(width, width);
  crypto.getRandomValues(pixels.data.subarray(0, 65_536));
  canvas.getContext("bitmaprenderer")?.transferFromImageBitmap(
    await createImageBitmap(pixels),
  );
  const blob = await canvas.convertToBlob({ type: "image/png" });
  return await blob.bytes();
}
