import * as Type from "@sinclair/typebox";
import {
  createLocalFileOperations,
  type OpenedFile,
  type ReadOperations,
  relativePath,
} from "../operations/mod.ts";
import {
  type AgentTool,
  type AgentToolResult,
  type AgentToolUpdate,
  defineTool,
  formatSize,
  type ToolDefinition,
  type UserContent,
} from "../sdk/mod.ts";
import { explainFileError } from "./explain_file_error.ts";
import { fileChunks, wholeFile, withFirst } from "./file_chunks.ts";
import type { FileStamps } from "./file_stamps.ts";
import { imageType } from "./image_header.ts";
import { readText, type Truncation } from "./read_text.ts";
import { renderFileCall, renderText } from "./render_file_tool.ts";
import { readPathVariants, resolvePath } from "./resolve_path.ts";
import { standaloneTool } from "./standalone_tool.ts";

const MAX_IMAGE_BYTES = 64 * 1024 * 1024;
const PROGRESS_BYTES = 16 * 1024 * 1024;

/** How the read tool is made. */
export interface ReadToolOptions {
  /** Default: this machine's files, without a policy. */
  operations?: ReadOperations;
  /** What `~` stands for. */
  homeDir?: string;
  /** Shared with write and edit, so that write notices what others changed. */
  stamps?: FileStamps;
  /** Makes images smaller that are too big for providers. Default true. */
  autoResizeImages?: boolean;
}

/** For renderers and hosts: what was cut. */
export type ReadDetails = { truncation: Truncation } | undefined;

const parameters = Type.Object({
  path: Type.String({
    description: "File to read; relative paths start at the working folder",
  }),
  offset: Type.Optional(
    Type.Number({ description: "First line to show, counted from 1" }),
  ),
  limit: Type.Optional(Type.Number({ description: "Number of lines to show" })),
});

/** The read tool as the product knows it: text by lines, images, and a name for everything else. */
export function createReadToolDefinition(
  cwd: string,
  options: ReadToolOptions = {},
): ToolDefinition<typeof parameters, ReadDetails> {
  const operations = options.operations ?? createLocalFileOperations();
  return defineTool<typeof parameters, ReadDetails>({
    name: "read",
    label: "Read",
    description:
      "Read a file. Text is shown without line numbers, at most 2000 lines or " +
      "50KB at a time: use offset and limit to go on. Images (png, jpeg, gif, " +
      "webp) are shown as such; other binary files are only named.",
    promptSnippet: "Read a file or an image",
    promptGuidelines: ["Read files with read, not with cat or sed."],
    parameters,
    constrainedSampling: { type: "json_schema", strict: "prefer" },
    async execute(_id, { path, offset, limit }, signal, onUpdate, ctx) {
      signal?.throwIfAborted();
      const folder = ctx.cwd || cwd;
      const absolutePath = resolvePath(path, {
        cwd: folder,
        homeDir: options.homeDir,
      });
      try {
        const { file, openedPath } = await openAnySpelling(
          operations,
          absolutePath,
        );
        try {
          options.stamps?.record(file);
          return await readOpened(file, {
            ...options,
            offset,
            limit,
            path: relativePath(folder, openedPath),
            signal,
            onUpdate,
          });
        } finally {
          file.close();
        }
      } catch (error) {
        throw await explainFileError(error, {
          action: "read",
          path,
          absolutePath,
          operations,
        });
      }
    },
    renderCall: ({ path, offset, limit }, theme, context) =>
      renderFileCall(
        { tool: "read", path, suffix: lineRange(offset, limit) },
        theme,
        context,
      ),
    renderResult: renderText,
  });
}

/** The read tool, ready to run in `cwd`. */
export function createReadTool(
  cwd: string,
  options: ReadToolOptions = {},
): AgentTool {
  return standaloneTool(createReadToolDefinition(cwd, options), cwd);
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

interface ReadOpenedOptions extends ReadToolOptions {
  path: string;
  offset: number | undefined;
  limit: number | undefined;
  signal: AbortSignal | undefined;
  onUpdate: AgentToolUpdate<ReadDetails> | undefined;
}

async function readOpened(
  file: OpenedFile,
  { signal, onUpdate, ...options }: ReadOpenedOptions,
): Promise<AgentToolResult<ReadDetails>> {
  const chunks = fileChunks(file, signal);
  const first = await chunks.next();
  const head = first.done ? new Uint8Array(0) : first.value;
  const mimeType = imageType(head);
  if (mimeType) {
    const whole = withFirst(head, chunks);
    return { content: await readImage(mimeType, whole, options) };
  }
  const { text, truncation } = await readText(head, {
    ...options,
    rest: chunks,
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
  options: ReadToolOptions,
): Promise<UserContent[]> {
  const bytes = await wholeFile(chunks, MAX_IMAGE_BYTES);
  const text = `Read image file [${mimeType}]`;
  if (!bytes) {
    return [{
      type: "text",
      text: `${text}\n[Image omitted: it is larger than ${
        formatSize(MAX_IMAGE_BYTES)
      }.]`,
    }];
  }
  // Few runs read images, so the code for it is loaded when one does.
  const { inlineImage } = await import("./inline_image.ts");
  const image = await inlineImage(bytes, {
    autoResize: options.autoResizeImages,
  });
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

/** The lines of a call as `:5-7`; what has arrived of the arguments may be anything. */
function lineRange(offset: unknown, limit: unknown): string {
  const first = typeof offset === "number" ? offset : 1;
  if (typeof limit === "number") return `:${first}-${first + limit - 1}`;
  return typeof offset === "number" ? `:${first}` : "";
}
