/** Facts from the first bytes of an image. */
export interface ImageHeader {
  mimeType: keyof typeof FORMATS;
  width: number;
  height: number;
}

/** Formats by their type: how a file of one begins, and where its size stands. Reads past the end throw `RangeError`. */
const FORMATS = {
  "image/png": {
    begins: (head: Uint8Array) => startsWith(head, "\x89PNG\r\n\x1a\n"),
    size: (view: DataView) => [view.getUint32(16), view.getUint32(20)],
  },
  "image/jpeg": {
    begins: (head: Uint8Array) => startsWith(head, "\xff\xd8\xff"),
    size: jpegSize,
  },
  "image/gif": {
    begins: (head: Uint8Array) =>
      startsWith(head, "GIF87a") || startsWith(head, "GIF89a"),
    size: (
      view: DataView,
    ) => [view.getUint16(6, true), view.getUint16(8, true)],
  },
  "image/webp": {
    begins: (head: Uint8Array) =>
      startsWith(head, "RIFF") && startsWith(head.subarray(8), "WEBP"),
    size: webpSize,
  },
  "image/bmp": { begins: isBmp, size: bmpSize },
};

/** The type of an image by its first bytes, whatever its name; undefined when it is none that can be shown. */
export function imageType(
  head: Uint8Array,
): ImageHeader["mimeType"] | undefined {
  const types = Object.keys(FORMATS) as ImageHeader["mimeType"][];
  return types.find((type) => FORMATS[type].begins(head));
}

/**
 * Reads type and size of an image without decoding it, so that a picture that
 * would unpack to gigabytes is known before. Undefined when it is no image, or
 * a damaged one.
 */
export function readImageHeader(bytes: Uint8Array): ImageHeader | undefined {
  const mimeType = imageType(bytes);
  if (!mimeType) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const [width = 0, height = 0] = FORMATS[mimeType].size(view);
    return { mimeType, width, height };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function jpegSize(view: DataView): number[] {
  let at = 2;
  while (true) {
    const marker = view.getUint16(at);
    // Fill bytes may stand before a marker.
    if (marker === 0xffff) {
      at++;
      continue;
    }
    // Start of frame, all kinds; C4, C8 and CC are other segments.
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf &&
      marker !== 0xffc4 && marker !== 0xffc8 && marker !== 0xffcc;
    if (isFrame) return [view.getUint16(at + 7), view.getUint16(at + 5)];
    if (marker < 0xff01) {
      throw new RangeError("No JPEG marker where one should be");
    }
    at += 2 + view.getUint16(at + 2);
  }
}

function webpSize(view: DataView): number[] {
  const chunk = view.getUint32(12);
  if (chunk === 0x56503858) { // "VP8X": 24 bits each, less one
    return [
      (view.getUint32(24, true) & 0xffffff) + 1,
      (view.getUint32(26, true) >>> 8) + 1,
    ];
  }
  if (chunk === 0x5650384c) { // "VP8L": 14 bits each, less one, behind a signature byte
    const bits = view.getUint32(21, true);
    return [(bits & 0x3fff) + 1, (bits >>> 14 & 0x3fff) + 1];
  }
  return [26, 28].map((at) => view.getUint16(at, true) & 0x3fff);
}

/** Two letters are too little to tell it from text, so the next header counts too. */
function isBmp(head: Uint8Array): boolean {
  return startsWith(head, "BM") && head.byteLength > 26 &&
    [12, 40, 52, 56, 64, 108, 124].includes(head[14] ?? 0) &&
    head[15] === 0 && head[16] === 0 && head[17] === 0;
}

function bmpSize(view: DataView): number[] {
  if (view.getUint32(14, true) === 12) {
    return [view.getUint16(18, true), view.getUint16(20, true)];
  }
  // A negative height says that the rows begin at the top.
  return [view.getInt32(18, true), Math.abs(view.getInt32(22, true))];
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  return [...text].every((sign, i) => bytes[i] === sign.charCodeAt(0));
}
