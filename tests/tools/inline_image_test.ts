import assert from "node:assert/strict";
import { createMemoryOperations } from "../../src/operations/memory_operations.ts";
import type { UserContent } from "../../src/model/content.ts";
import { createReadTool } from "../../src/tools/factories.ts";
import {
  type ImageHeader,
  readImageHeader,
} from "../../src/tools/image_header.ts";

const SMALL_GIF =
  "47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b";

Deno.test("read() shows a small image as it is, by its content and not its name", async () => {
  for (
    const [bytes, mimeType] of [
      [Uint8Array.fromHex(SMALL_GIF), "image/gif"],
      [await drawn(10, 20, "image/png"), "image/png"],
    ] as const
  ) {
    assert.deepEqual(await readImage(bytes), [
      { type: "text", text: `Read image file [${mimeType}]` },
      { type: "image", data: bytes.toBase64(), mimeType },
    ]);
  }
});

Deno.test("read() scales an image down that is too wide, and says by how much", async () => {
  const [text, image] = await readImage(await drawn(3000, 30, "image/png"));
  assert.deepEqual(text, {
    type: "text",
    text: "Read image file [image/png]\n" +
      "[Image scaled from 3000x30 to 2000x20; multiply coordinates by 1.50 for the original.]",
  });
  assert.deepEqual(headerOf(image), {
    mimeType: "image/png",
    width: 2000,
    height: 20,
  });
});

Deno.test("read() leaves out an image that is damaged or would unpack to gigabytes", async () => {
  const png = await drawn(3000, 10, "image/png");
  const bomb = png.slice();
  new DataView(bomb.buffer).setUint32(16, 60_000);
  new DataView(bomb.buffer).setUint32(20, 60_000);
  for (
    const [bytes, type, reason] of [
      [
        png.subarray(0, 60),
        "png",
        "converted to a supported inline image format",
      ],
      [
        bmp(3, 2).subarray(0, 40),
        "bmp",
        "converted to a supported inline image format",
      ],
      [bomb, "png", "resized below the inline image size limit"],
    ] as const
  ) {
    assert.deepEqual(await readImage(bytes), [{
      type: "text",
      text:
        `Read image file [image/${type}]\n[Image omitted: could not be ${reason}.]`,
    }]);
  }
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
    assert.deepEqual(headerOf(image), {
      mimeType: "image/png",
      width: shown[0],
      height: shown[1],
    });
  }
  const text = "BM is how this long line of text happens to begin";
  const encoded = new TextEncoder().encode(text);
  assert.deepEqual(await readImage(encoded), [{ type: "text", text }]);
});

Deno.test("readImageHeader() reads the size of each kind of image", async () => {
  const jpeg = await drawn(31, 17, "image/jpeg");
  const webp = (chunk: string, rest: string) =>
    Uint8Array.fromHex("5249464600000000" + hex("WEBP" + chunk) + rest);
  for (
    const [bytes, mimeType, width, height] of [
      [jpeg, "image/jpeg", 31, 17],
      [Uint8Array.fromHex(SMALL_GIF), "image/gif", 1, 1],
      [webp("VP8X", "0a000000000000002b0100c70000"), "image/webp", 300, 200],
      // 14 bits of width - 1, 14 bits of height - 1, little end first.
      [webp("VP8L", "000000002f2bc13100"), "image/webp", 300, 200],
      [webp("VP8 ", "000000000000009d012a2c01c800"), "image/webp", 300, 200],
    ] as const
  ) assert.deepEqual(readImageHeader(bytes), { mimeType, width, height });
  assert.equal(readImageHeader(jpeg.subarray(0, 12)), undefined);
  assert.equal(readImageHeader(new TextEncoder().encode("plain")), undefined);
});

function headerOf(image: UserContent | undefined): ImageHeader | undefined {
  assert.ok(image?.type === "image");
  return readImageHeader(Uint8Array.fromBase64(image.data));
}

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
