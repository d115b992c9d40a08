import type { UserContent } from "../model/content.ts";
import { inlineImage } from "../tools/inline_image.ts";

/**
 * A prompt whose images are fit for a request. They are decoded here and not
 * in the host: an image may be made to break its decoder.
 */
export async function inlineImages(
  prompt: string | UserContent[],
): Promise<string | UserContent[]> {
  if (typeof prompt === "string") return prompt;
  const blocks: UserContent[] = [];
  for (const block of prompt) {
    if (block.type === "text") {
      blocks.push(block);
      continue;
    }
    const image = await inlineImage(bytesOf(block.data));
    if ("omitted" in image) {
      blocks.push({ type: "text", text: image.omitted });
      continue;
    }
    const { data, mimeType, note } = image;
    blocks.push({ type: "image", data, mimeType });
    if (note) blocks.push({ type: "text", text: note });
  }
  return blocks;
}

/** The bytes of an image; none where they are no base64, which no decoder takes for an image. */
function bytesOf(data: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.fromBase64(data);
  } catch {
    return new Uint8Array();
  }
}
