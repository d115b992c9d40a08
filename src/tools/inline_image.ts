import { readImageHeader } from "./image_header.ts";

const MAX_SIDE = 2000;
const MAX_BASE64_BYTES = 4.5 * 1024 * 1024;
/** Decoding takes four bytes for each; beyond, memory is at risk. */
const MAX_PIXELS = 64_000_000;
const JPEG_QUALITIES = [0.8, 0.7, 0.55, 0.4];
const SCALE_STEP = 0.75;
const MAX_SCALE_STEPS = 6;

const NOT_RESIZED =
  "[Image omitted: could not be resized below the inline image size limit.]";
const NOT_CONVERTED =
  "[Image omitted: could not be converted to a supported inline image format.]";

/** An image that a model can take, or why there is none. */
export type InlineImage =
  | { data: string; mimeType: string; note?: string }
  | { omitted: string };

/**
 * Makes an image file fit for a message: as it is when it is small enough, else
 * scaled down to 2000 pixels a side and 4.5 MiB of base64. BMP, which no
 * provider takes, becomes PNG. Without `autoResize` the size does not matter.
 */
export async function inlineImage(
  bytes: Uint8Array<ArrayBuffer>,
  { autoResize = true }: { autoResize?: boolean | undefined } = {},
): Promise<InlineImage> {
  const header = readImageHeader(bytes);
  if (!header) return { omitted: NOT_CONVERTED };
  const { mimeType, width, height } = header;
  const maxSide = autoResize ? MAX_SIDE : Infinity;
  const fits = Math.max(width, height) <= maxSide &&
    (fitsInline(bytes) || !autoResize);
  if (fits && mimeType !== "image/bmp") {
    return { data: bytes.toBase64(), mimeType };
  }
  if (width * height > MAX_PIXELS) return { omitted: NOT_RESIZED };
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(new Blob([bytes], { type: mimeType }));
  } catch {
    return { omitted: NOT_CONVERTED };
  }
  try {
    return await shrink(bitmap, { mimeType, maxSide });
  } finally {
    bitmap.close();
  }
}

async function shrink(
  bitmap: ImageBitmap,
  { mimeType, maxSide }: { mimeType: string; maxSide: number },
): Promise<InlineImage> {
  let scale = Math.min(1, maxSide / Math.max(bitmap.width, bitmap.height));
  for (let step = 0; step < MAX_SCALE_STEPS; step++, scale *= SCALE_STEP) {
    const width = Math.max(1, Math.round(bitmap.width * scale));
    const height = Math.max(1, Math.round(bitmap.height * scale));
    for (const encoding of encodings(mimeType)) {
      const canvas = new OffscreenCanvas(width, height);
      const bytes = await encode(bitmap, canvas, encoding);
      if (!fitsInline(bytes)) continue;
      const notes = [
        mimeType === "image/bmp"
          ? `[Image converted from ${mimeType} to ${encoding.type}.]`
          : "",
        width === bitmap.width ? "" : scaledNote(bitmap, { width, height }),
      ].filter((note) => note !== "");
      const image = { data: bytes.toBase64(), mimeType: encoding.type };
      return notes.length > 0 ? { ...image, note: notes.join("\n") } : image;
    }
  }
  return { omitted: NOT_RESIZED };
}

function scaledNote(
  from: ImageBitmap,
  { width, height }: { width: number; height: number },
): string {
  const factor = (from.width / width).toFixed(2);
  return `[Image scaled from ${from.width}x${from.height} to ${width}x${height}; multiply coordinates by ${factor} for the original.]`;
}

/** PNG first for what may be transparent or drawn, then JPEG, ever coarser. */
function encodings(mimeType: string): { type: string; quality: number }[] {
  const jpeg = JPEG_QUALITIES.map((quality) => ({
    type: "image/jpeg",
    quality,
  }));
  return mimeType === "image/jpeg"
    ? jpeg
    : [{ type: "image/png", quality: 1 }, ...jpeg];
}

async function encode(
  bitmap: ImageBitmap,
  canvas: OffscreenCanvas,
  options: { type: string; quality: number },
): Promise<Uint8Array> {
  const scaled = await createImageBitmap(bitmap, {
    resizeWidth: canvas.width,
    resizeHeight: canvas.height,
    resizeQuality: "high",
  });
  const context = canvas.getContext("bitmaprenderer");
  context?.transferFromImageBitmap(scaled);
  const blob = await canvas.convertToBlob(options);
  return new Uint8Array(await blob.arrayBuffer());
}

function fitsInline(bytes: Uint8Array): boolean {
  return Math.ceil(bytes.byteLength / 3) * 4 < MAX_BASE64_BYTES;
}
