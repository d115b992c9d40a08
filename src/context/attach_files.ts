import { reasonOf } from "../model/error_reason.ts";
import type { UserContent } from "../model/content.ts";
import { readFileHead } from "../settings/read_file_head.ts";
import { UsageError } from "../settings/usage_error.ts";

const MAX_TEXT_BYTES = 1024 * 1024;
const MAX_IMAGE_BYTES = 20 * 1024 * 1024;
const MAX_TOTAL_BYTES = 30 * 1024 * 1024;

/** First bytes of the images that models take. */
const IMAGES: readonly [type: string, start: RegExp][] = [
  ["image/png", /^\x89PNG/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF[^]{4}WEBP/],
];

/** Folders that the paths of `@file` arguments start from. */
export interface AttachOptions {
  /** The folder in which the program was started, absolute. */
  cwd: string;
  /** The folder that `~/` means. */
  homeDir: string | undefined;
}

/**
 * A prompt with files before it, each as `<file name="…">` with its text, or
 * followed by its image. Images are recognised by their first bytes.
 *
 * Throws {@linkcode UsageError} for what cannot be attached.
 */
export function attachFiles(
  prompt: string,
  paths: readonly string[],
  options: AttachOptions,
): string | UserContent[] {
  const blocks: UserContent[] = [];
  let total = 0;
  for (const given of paths) {
    const path = absolutePath(given, options);
    const { text, image, size } = readAttachment(path, given);
    total += size;
    if (total > MAX_TOTAL_BYTES) {
      throw new UsageError("The @files are larger than 30 MiB together");
    }
    const open = `<file name="${path.replaceAll('"', "&quot;")}">`;
    blocks.push(textBlock(
      text === undefined ? `${open}</file>\n` : `${open}\n${text}\n</file>\n`,
    ));
    if (image) blocks.push(image);
  }
  blocks.push(textBlock(prompt));
  return joined(blocks);
}

interface Attachment {
  text?: string;
  image?: UserContent;
  size: number;
}

function readAttachment(path: string, given: string): Attachment {
  const name = JSON.stringify(`@${given}`);
  let head;
  try {
    head = readFileHead(path, MAX_IMAGE_BYTES);
  } catch (error) {
    const why = reasonOf(error);
    throw new UsageError(`Cannot attach ${name}: ${why}`, { cause: error });
  }
  if (!head) {
    throw new UsageError(
      `Cannot attach ${name}: no such file; to send a prompt that begins with @, write: tau -- @…`,
    );
  }
  const { bytes, size } = head;
  const start = String.fromCharCode(...bytes.subarray(0, 16));
  const mimeType = IMAGES.find(([, pattern]) => pattern.test(start))?.[0];
  if (mimeType) {
    if (size > MAX_IMAGE_BYTES) throw tooLarge(name, "20 MiB, an image");
    return {
      image: { type: "image", data: bytes.toBase64(), mimeType },
      size,
    };
  }
  if (size > MAX_TEXT_BYTES) {
    throw tooLarge(
      name,
      "1 MiB; name the file in the prompt and let it be read",
    );
  }
  return { text: decode(bytes, name), size };
}

function decode(bytes: Uint8Array, name: string): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text.replace(/\n$/, "");
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  throw new UsageError(
    `Cannot attach ${name}: neither UTF-8 text nor a PNG, JPEG, GIF or WebP image`,
  );
}

function tooLarge(name: string, limit: string): UsageError {
  return new UsageError(`Cannot attach ${name}: larger than ${limit}`);
}

function absolutePath(path: string, { cwd, homeDir }: AttachOptions): string {
  if (homeDir && path.startsWith("~/")) return homeDir + path.slice(1);
  const isAbsolute = /^(\/|[a-z]:[/\\]|\\\\)/i.test(path);
  return isAbsolute ? path : `${cwd}/${path.replace(/^(\.\/)+/, "")}`;
}

/** One text where there is nothing else. */
function joined(blocks: UserContent[]): string | UserContent[] {
  const texts = blocks.flatMap((block) =>
    block.type === "text" ? [block.text] : []
  );
  return texts.length === blocks.length ? texts.join("") : blocks
    .filter((block) => block.type !== "text" || block.text !== "");
}

function textBlock(text: string): UserContent {
  return { type: "text", text };
}
