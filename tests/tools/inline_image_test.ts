import assert from "node:assert/strict";
import { createMemoryOperations } from "../../src/operations/memory_operations.ts";
import type { UserContent } from "../../src/model/content.ts";
import { createReadTool } from "../../src/tools/factories.ts";
import { readImageHeader } from "../../src/tools/image_header.ts";

const SMALL_GIF =
  "47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b";

Deno.test("read() shows a small image as it is, by its content and not its name", async () => {
  const gif = Uint8Array.fromHex(SMALL_GIF);
  assert.deepEqual(await readImage(gif), [
    { type: "text", text: "Read image file [image/gif]" },
    { type: "image", data: gif.toBase64(), mimeType: "image/gif" },
  ]);
  const png = await drawn(10, 20, "image/png");
  assert.deepEqual(await readImage(png), [
    { type: "text", text: "Read image file [image/png]" },
    { type: "image", data: png.toBase64(), mimeType: "image/png" },
  ]);
});

Deno.test("read() scales an image down that is too wide, and says by how much", async () => {
  const [text, image] = await readImage(await drawn(3000, 30, "image/png"));
  assert.deepEqual(text, {
    type: "text",
    text: "Read image file [image/png]\n" +
      "[Image scaled from 3000x30 to 2000x20; multiply coordinates by 1.50 for the original.]",
  });
  assert.ok(image?.type === "image");
  const bytes = Uint8Array.fromBase64(image.data);
  assert.deepEqual(readImageHeader(bytes), {
    mimeType: "image/png",
    width: 2000,
    height: 20,
  });
});

Deno.test("read() leaves out an image that is damaged or would unpack to gigabytes", async () => {
  const png = await drawn(3000, 10, "image/png");
  const omitted = (
    note: string,
  ) => [{ type: "text", text: `Read image file [image/png]\n${note}` }];
  assert.deepEqual(
    await readImage(png.subarray(0, 60)),
    omitted(
      "[Image omitted: could not be converted to a supported inline image format.]",
    ),
  );
  const bomb = png.slice();
  new DataView(bomb.buffer).setUint32(16, 60_000);
  new DataView(bomb.buffer).setUint32(20, 60_000);
  assert.deepEqual(
    await readImage(bomb),
    omitted(
      "[Image omitted: could not be resized below the inline image size limit.]",
    ),
  );
});

Deno.test("read() converts BMP, which no model takes, and names text that begins alike", async () => {
  for (
    const [[width, height], note, shown] of [
      [[3, 2], "", [3, 2]],
      [
        [4000, 2],
        "\n[Image scaled from 4000x2 to 2000x1; multiply coordinates by 2.00 for the original.]",
        [2000, 1],
      ],
    ] as const
  ) {
    const [text, image] = await readImage(bmp(width, height));
    assert.deepEqual(text, {
      type: "text",
      text:
        `Read image file [image/bmp]\n[Image converted from image/bmp to image/png.]${note}`,
    });
    assert.ok(image?.type === "image");
    assert.deepEqual(readImageHeader(Uint8Array.fromBase64(image.data)), {
      mimeType: "image/png",
      width: shown[0],
      height: shown[1],
    });
  }
  assert.deepEqual(await readImage(bmp(3, 2).subarray(0, 40)), [{
    type: "text",
    text:
      "Read image file [image/bmp]\n[Image omitted: could not be converted to a supported inline image format.]",
  }]);
  const text = "BM is how this long line of text happens to begin";
  const encoded = new TextEncoder().encode(text);
  assert.deepEqual(await readImage(encoded), [{ type: "text", text }]);
});

Deno.test("readImageHeader() reads the size of each kind of image", async () => {
  const jpeg = await drawn(31, 17, "image/jpeg");
  assert.deepEqual(readImageHeader(jpeg), {
    mimeType: "image/jpeg",
    width: 31,
    height: 17,
  });
  const gif = Uint8Array.fromHex(SMALL_GIF);
  assert.deepEqual(readImageHeader(gif), {
    mimeType: "image/gif",
    width: 1,
    height: 1,
  });
  const webp = (chunk: string, rest: string) =>
    Uint8Array.fromHex("5249464600000000" + hex("WEBP" + chunk) + rest);
  const size = (bytes: Uint8Array) => readImageHeader(bytes);
  const expected = { mimeType: "image/webp", width: 300, height: 200 };
  assert.deepEqual(
    size(webp("VP8X", "0a000000" + "00000000" + "2b0100" + "c70000")),
    expected,
  );
  // 14 bits of width - 1, 14 bits of height - 1, little end first.
  assert.deepEqual(
    size(webp("VP8L", "00000000" + "2f" + "2bc13100")),
    expected,
  );
  assert.deepEqual(
    size(webp("VP8 ", "00000000" + "000000" + "9d012a" + "2c01" + "c800")),
    expected,
  );
  assert.equal(readImageHeader(jpeg.subarray(0, 12)), undefined);
  assert.equal(readImageHeader(new TextEncoder().encode("plain")), undefined);
});

async function readImage(bytes: Uint8Array): Promise<UserContent[]> {
  const operations = createMemoryOperations({ "/w/picture.txt": bytes });
  return (await createReadTool("/w", { operations }).execute("id", {
    path: "picture.txt",
  })).content;
}

async function drawn(
  width: number,
  height: number,
  type: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const canvas = new OffscreenCanvas(width, height);
  const bitmap = await createImageBitmap(new ImageData(width, height));
  canvas.getContext("bitmaprenderer")?.transferFromImageBitmap(bitmap);
  return new Uint8Array(
    await (await canvas.convertToBlob({ type })).arrayBuffer(),
  );
}

/** A white picture of 24 bits a pixel. */
function bmp(width: number, height: number): Uint8Array<ArrayBuffer> {
  const rowBytes = Math.ceil(width * 3 / 4) * 4;
  const bytes = new Uint8Array(54 + rowBytes * height).fill(255, 54);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, 0x424d);
  view.setUint32(2, bytes.byteLength, true);
  view.setUint32(10, 54, true);
  view.setUint32(14, 40, true);
  view.setInt32(18, width, true);
  view.setInt32(22, height, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, 24, true);
  return bytes;
}

function hex(text: string): string {
  return new TextEncoder().encode(text).toHex();
}
