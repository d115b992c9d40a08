/** Facts from the first bytes of an image. */
export interface ImageHeader {
  mimeType:
    | "image/png"
    | "image/jpeg"
    | "image/gif"
    | "image/webp"
    | "image/bmp";
  width: number;
  height: number;
}

/** The type of an image by its first bytes, whatever its name; undefined when it is none that can be shown. */
export function imageType(
  head: Uint8Array,
): ImageHeader["mimeType"] | undefined {
  if (startsWith(head, "\x89PNG\r\n\x1a\n")) return "image/png";
  if (startsWith(head, "\xff\xd8\xff")) return "image/jpeg";
  if (startsWith(head, "GIF87a") || startsWith(head, "GIF89a")) {
    return "image/gif";
  }
  if (startsWith(head, "RIFF") && startsWith(head.subarray(8), "WEBP")) {
    return "image/webp";
  }
  return isBmp(head) ? "image/bmp" : undefined;
}

/**
 * Reads type and size of an image without decoding it, so that a picture that
 * would unpack to gigabytes is known before. Undefined when it is no image, or
 * a damaged one.
 */
export function readImageHeader(bytes: Uint8Array): ImageHeader | undefined {
  const mimeType = imageType(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    switch (mimeType) {
      case "image/png":
        return {
          mimeType,
          width: view.getUint32(16),
          height: view.getUint32(20),
        };
      case "image/gif":
        return {
          mimeType,
          width: view.getUint16(6, true),
          height: view.getUint16(8, true),
        };
      case "image/jpeg":
        return { mimeType, ...jpegSize(view) };
      case "image/webp":
        return { mimeType, ...webpSize(view) };
      case "image/bmp":
        return { mimeType, ...bmpSize(view) };
      default:
        return undefined;
    }
  } catch (error) {
    // A read past the end: the file is cut.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function jpegSize(view: DataView): { width: number; height: number } {
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
    if (isFrame) {
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    }
    if (marker < 0xff01) {
      throw new RangeError("No JPEG marker where one should be");
    }
    at += 2 + view.getUint16(at + 2);
  }
}

function webpSize(view: DataView): { width: number; height: number } {
  const chunk = view.getUint32(12);
  if (chunk === 0x56503858) { // "VP8X": 24 bits each, less one
    return {
      width: (view.getUint32(24, true) & 0xffffff) + 1,
      height: (view.getUint32(26, true) >>> 8) + 1,
    };
  }
  if (chunk === 0x5650384c) { // "VP8L": 14 bits each, less one, behind a signature byte
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: (bits >>> 14 & 0x3fff) + 1 };
  }
  return {
    width: view.getUint16(26, true) & 0x3fff,
    height: view.getUint16(28, true) & 0x3fff,
  };
}

/** Two letters are too little to tell it from text, so the next header counts too. */
function isBmp(head: Uint8Array): boolean {
  return startsWith(head, "BM") && head.byteLength > 26 &&
    [12, 40, 52, 56, 64, 108, 124].includes(head[14] ?? 0) &&
    head[15] === 0 && head[16] === 0 && head[17] === 0;
}

function bmpSize(view: DataView): { width: number; height: number } {
  if (view.getUint32(14, true) === 12) {
    return {
      width: view.getUint16(18, true),
      height: view.getUint16(20, true),
    };
  }
  // A negative height says that the rows begin at the top.
  return {
    width: view.getInt32(18, true),
    height: Math.abs(view.getInt32(22, true)),
  };
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  if (bytes.byteLength < text.length) return false;
  for (let i = 0; i < text.length; i++) {
    if (bytes[i] !== text.charCodeAt(i)) return false;
  }
  return true;
}
