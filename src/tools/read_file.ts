import type {
  OpenedFile,
  ReadOperations,
} from "../operations/file_operations.ts";
import { relativePath } from "../operations/lexical_path.ts";
import type { AgentToolResult, AgentToolUpdate } from "../agent/agent_tool.ts";
import type { UserContent } from "../model/content.ts";
import { formatSize } from "../sdk/truncate.ts";
import type { FileToolParameters } from "./builtin.ts";
import { fileCall } from "./explain_file_error.ts";
import { fileChunks, wholeFile, withFirst } from "./file_chunks.ts";
import { imageType } from "./image_header.ts";
import { readText, type Truncation } from "./read_text.ts";
import { readPathVariants } from "./resolve_path.ts";
import type { CallOptions, FileToolOptions } from "./tool_options.ts";

/** Details of a result, for renderers and hosts: what was cut. */
export type ReadDetails = { truncation: Truncation } | undefined;

/** Settings of the read tool. */
export interface ReadToolOptions extends FileToolOptions<ReadOperations> {
  /** Makes images smaller that are too big for providers. Default true. */
  autoResizeImages?: boolean;
}

type ReadCall = CallOptions<ReadToolOptions, ReadDetails>;

const MAX_IMAGE_BYTES = 64 * 1024 * 1024;
const PROGRESS_BYTES = 16 * 1024 * 1024;

/** Reads a file for the read tool. */
export async function readFile(
  { path, offset, limit }: FileToolParameters<"read">,
  call: CallOptions<ReadToolOptions, ReadDetails>,
): Promise<AgentToolResult<ReadDetails>> {
  const { operations, cwd, homeDir, stamps, signal } = call;
  signal?.throwIfAborted();
  const failed = { action: "read" as const, path, cwd, homeDir, operations };
  return await fileCall(failed, async (absolutePath) => {
    const { file, openedPath } = await openAnySpelling(
      operations,
      absolutePath,
    );
    try {
      stamps?.record(file);
      const shown = relativePath(cwd, openedPath);
      return await readOpened(file, { ...call, offset, limit, path: shown });
    } finally {
      file.close();
    }
  });
}

/** Opens a file, or one whose name is the same but for spelling. */
async function openAnySpelling(
  operations: ReadOperations,
  path: string,
): Promise<{ file: OpenedFile; openedPath: string }> {
  try {
    return { file: await operations.openFile(path), openedPath: path };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    for (const variant of readPathVariants(path)) {
      try {
        const file = await operations.openFile(variant);
        return { file, openedPath: variant };
      } catch {
        // What the model hears is how the name that it gave fared.
      }
    }
    throw error;
  }
}

async function readOpened(
  file: OpenedFile,
  { signal, onUpdate, ...options }: ReadCall & FileToolParameters<"read">,
): Promise<AgentToolResult<ReadDetails>> {
  const chunks = fileChunks(file, signal);
  const first = await chunks.next();
  const head = first.done ? new Uint8Array(0) : first.value;
  const bytes = withFirst(head, chunks);
  const mimeType = file.imageType === undefined
    ? imageType(head)
    : file.imageType;
  if (mimeType) return { content: await readImage(mimeType, bytes, options) };
  const { text, truncation } = await readText(bytes, {
    ...options,
    head,
    size: file.stamp.size,
    onProgress: reportBytes(onUpdate),
  });
  return {
    content: [{ type: "text", text }],
    details: truncation && { truncation },
  };
}

async function readImage(
  mimeType: string,
  chunks: AsyncIterable<Uint8Array>,
  options: Pick<ReadCall, "autoResizeImages">,
): Promise<UserContent[]> {
  const bytes = await wholeFile(chunks, MAX_IMAGE_BYTES);
  const text = `Read image file [${mimeType}]`;
  if (!bytes) {
    const limit = formatSize(MAX_IMAGE_BYTES);
    const omitted = `[Image omitted: it is larger than ${limit}.]`;
    return [{ type: "text", text: `${text}\n${omitted}` }];
  }
  // Few runs read images, so the code for it is loaded when one does.
  const { inlineImage } = await import("./inline_image.ts");
  const { autoResizeImages: autoResize } = options;
  const image = await inlineImage(bytes, { autoResize });
  if ("omitted" in image) {
    return [{ type: "text", text: `${text}\n${image.omitted}` }];
  }
  return [
    { type: "text", text: image.note ? `${text}\n${image.note}` : text },
    { type: "image", data: image.data, mimeType: image.mimeType },
  ];
}

/** Reports progress now and then, when a file is so long that it takes time. */
function reportBytes(
  onUpdate: AgentToolUpdate<ReadDetails> | undefined,
): (bytes: number) => void {
  let next = PROGRESS_BYTES;
  return (bytes) => {
    if (bytes < next) return;
    next = bytes + PROGRESS_BYTES;
    const text = `Searched ${formatSize(bytes)}…`;
    onUpdate?.({ content: [{ type: "text", text }] });
  };
}
