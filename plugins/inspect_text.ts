/**
 * A tool that opens files itself, and stays in the working folder: the path is
 * followed to where it leads before it is judged, and the file that was opened
 * is compared with the one that was judged. Copy this for tools of your own
 * that touch files; Deno's permissions follow links.
 *
 *     tau --plugin plugins/inspect_text.ts "How long are the lines of README.md?"
 */
import { type PluginAPI, ToolError, Type } from "tau";
import { resolve, sep } from "node:path";

const MAX_BYTES = 8 * 1024 * 1024;

export default function (tau: PluginAPI): void {
  tau.registerTool({
    name: "inspect_text",
    label: "Inspect text",
    description:
      "Counts lines, words and bytes of a text file in the working folder, and finds its longest line.",
    promptSnippet: "Count lines, words and bytes of a file",
    parameters: Type.Object({ path: Type.String({ minLength: 1 }) }),
    outputSchema: Type.Object({
      bytes: Type.Integer(),
      lines: Type.Integer(),
      words: Type.Integer(),
      longestLine: Type.Integer(),
    }),
    async execute(_toolCallId, { path }, _signal, _onUpdate, ctx) {
      const text = await readInside(ctx.cwd, path);
      const counts = countsOf(text);
      const { bytes, lines, words, longestLine } = counts;
      return {
        content: [{
          type: "text",
          text:
            `${lines} lines, ${words} words, ${bytes} bytes; the longest line has ${longestLine} characters`,
        }],
        structuredContent: { ...counts },
      };
    },
  });
}

function countsOf(text: string) {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return {
    bytes: new TextEncoder().encode(text).length,
    lines: lines.length,
    words: text.split(/\s+/).filter((word) => word !== "").length,
    longestLine: lines.reduce((most, line) => Math.max(most, line.length), 0),
  };
}

/** The text of a regular file of `folder`; a link that leads out is refused. */
async function readInside(folder: string, path: string): Promise<string> {
  const root = await Deno.realPath(folder);
  const real = await realPath(resolve(root, path), path);
  if (!`${real}${sep}`.startsWith(root === sep ? sep : `${root}${sep}`)) {
    throw new ToolError(`${path} leads out of the working folder`);
  }
  const judged = await Deno.lstat(real);
  // Opening a pipe would wait for somebody who writes to it.
  if (!judged.isFile) throw new ToolError(`${path} is no regular file`);
  if (judged.size > MAX_BYTES) {
    throw new ToolError(`${path} is larger than ${MAX_BYTES} bytes`);
  }
  using file = await Deno.open(real);
  const { ino, dev, size } = await file.stat();
  if (ino !== judged.ino || dev !== judged.dev || size > MAX_BYTES) {
    throw new ToolError(`${path} was changed while it was looked at`);
  }
  const bytes = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    const count = await file.read(bytes.subarray(length));
    if (count === null) break;
    length += count;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true })
      .decode(bytes.subarray(0, length));
  } catch {
    throw new ToolError(`${path} is no text in UTF-8`);
  }
}

async function realPath(path: string, shown: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) {
      throw new ToolError(`There is no file ${shown}`, { cause });
    }
    if (cause instanceof Deno.errors.NotCapable) {
      throw new ToolError(`${shown} leads out of the working folder`, {
        cause,
      });
    }
    throw cause;
  }
}
