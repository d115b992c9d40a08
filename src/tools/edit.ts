import * as Type from "@sinclair/typebox";
import {
  createLocalFileOperations,
  type EditOperations,
  sameStamp,
  withFileMutationQueue,
  type WriteOutcome,
} from "../operations/mod.ts";
import {
  type AgentTool,
  defineTool,
  formatSize,
  type JsonObject,
  type ToolDefinition,
  ToolError,
} from "../sdk/mod.ts";
import { byteOrderMark } from "./decode_text.ts";
import type { EditDiff } from "./edit_diff.ts";
import { explainFileError } from "./explain_file_error.ts";
import { fileChunks, wholeFile } from "./file_chunks.ts";
import type { FileStamps } from "./file_stamps.ts";
import {
  applyReplacements,
  type Edit,
  matchEdits,
  type Replacement,
} from "./match_edits.ts";
import { renderDiff, renderFileCall, renderText } from "./render_file_tool.ts";
import { resolvePath } from "./resolve_path.ts";
import { standaloneTool } from "./standalone_tool.ts";

const MAX_FILE_BYTES = 64 * 1024 * 1024;
const BOM = "\ufeff";

/** How the edit tool is made. */
export interface EditToolOptions {
  /** Default: this machine's files, without a policy. */
  operations?: EditOperations;
  /** What `~` stands for. */
  homeDir?: string;
  /** Shared with read and write, so that write notices what others changed. */
  stamps?: FileStamps;
}

const parameters = Type.Object({
  path: Type.String({
    description: "File to change; relative paths start at the working folder",
  }),
  edits: Type.Array(
    Type.Object({
      oldText: Type.String({
        description:
          "Text to replace, exactly as in the file; must occur there once",
      }),
      newText: Type.String({ description: "What to put in its place" }),
    }),
    {
      description:
        "Replacements, all found in the file as it is now; they must not overlap",
    },
  ),
});

/** The edit tool as the product knows it: exact replacements, all of them or none. */
export function createEditToolDefinition(
  cwd: string,
  options: EditToolOptions = {},
): ToolDefinition<typeof parameters, EditDiff> {
  const operations = options.operations ?? createLocalFileOperations();
  return defineTool<typeof parameters, EditDiff>({
    name: "edit",
    label: "Edit",
    description:
      "Change a text file by replacing exact pieces of text. Each oldText must " +
      "occur exactly once in the file; all replacements are made, or none. Line " +
      "ends (LF or CRLF) need not match and are kept.",
    promptSnippet: "Replace exact pieces of text in a file",
    promptGuidelines: [
      "Give edit as little oldText as is unique, and put all changes of one file into one call.",
    ],
    parameters,
    constrainedSampling: { type: "json_schema", strict: "prefer" },
    prepareArguments: prepareEditArguments,
    async execute(_id, { path, edits }, signal, _onUpdate, ctx) {
      signal?.throwIfAborted();
      const absolutePath = resolvePath(path, {
        cwd: ctx.cwd || cwd,
        homeDir: options.homeDir,
      });
      const change = async () => {
        signal?.throwIfAborted();
        const { bytes, stamp } = await readWhole(operations, absolutePath, {
          path,
          signal,
        });
        const edited = editBytes(bytes, edits, { path });
        // The diff package costs start-up time, and is needed only here.
        const { diffReplacements } = await import("./edit_diff.ts");
        const details = diffReplacements(edited.source, edited.replacements, {
          path,
        });
        signal?.throwIfAborted();
        const outcome = await operations.writeFile(absolutePath, edited.bytes, {
          expected: stamp,
        });
        // What others changed since the session saw the file stays unseen.
        const seen = options.stamps?.get(outcome.realPath);
        if (!seen || sameStamp(seen, stamp)) options.stamps?.record(outcome);
        return {
          content: [{
            type: "text" as const,
            text: successText(path, edited.replacements, outcome),
          }],
          details,
        };
      };
      try {
        return await withFileMutationQueue(absolutePath, change, {
          realPath: (path) => operations.realPath(path),
        });
      } catch (error) {
        throw await explainFileError(error, {
          action: "edit",
          path,
          absolutePath,
          operations,
        });
      }
    },
    renderCall: (args, theme, context) =>
      renderFileCall({ tool: "edit", path: args.path }, theme, context),
    renderResult: (result, options, theme) =>
      result.details?.diff && !result.isError
        ? renderDiff(result.details.diff, options, theme)
        : renderText(result, options, theme),
  });
}

/** The edit tool, ready to run in `cwd`. */
export function createEditTool(
  cwd: string,
  options: EditToolOptions = {},
): AgentTool {
  return standaloneTool(createEditToolDefinition(cwd, options), cwd);
}

/**
 * Mends the shapes in which models send edits: `edits` as JSON text, as one
 * object, and `oldText` and `newText` at the top.
 */
export function prepareEditArguments(raw: JsonObject): JsonObject {
  const { oldText, newText, ...rest } = raw;
  let edits: unknown = raw.edits;
  if (typeof edits === "string") {
    try {
      edits = JSON.parse(edits);
    } catch {
      // The schema says what is wrong with a text.
      return raw;
    }
  }
  if (typeof edits === "object" && edits !== null && !Array.isArray(edits)) {
    edits = [edits];
  }
  if (typeof oldText === "string" && typeof newText === "string") {
    edits = [...(Array.isArray(edits) ? edits : []), { oldText, newText }];
    return { ...rest, edits: edits as JsonObject[] };
  }
  return edits === raw.edits ? raw : { ...raw, edits: edits as JsonObject[] };
}

async function readWhole(
  operations: EditOperations,
  absolutePath: string,
  { path, signal }: { path: string; signal: AbortSignal | undefined },
): Promise<{ bytes: Uint8Array; stamp: WriteOutcome["stamp"] }> {
  const file = await operations.openFile(absolutePath);
  try {
    const bytes = file.stamp.size > MAX_FILE_BYTES
      ? undefined
      : await wholeFile(fileChunks(file, signal), MAX_FILE_BYTES);
    if (bytes) return { bytes, stamp: file.stamp };
    throw new ToolError(
      `Cannot edit ${JSON.stringify(path)}: it is larger than ${
        formatSize(MAX_FILE_BYTES)
      }; change it with a program`,
    );
  } finally {
    file.close();
  }
}

/** The new bytes of a file; a byte order mark at its start stays as it is. */
function editBytes(
  bytes: Uint8Array,
  edits: readonly Edit[],
  { path }: { path: string },
): { bytes: Uint8Array; source: string; replacements: Replacement[] } {
  const text = decode(bytes, path);
  const bom = text.startsWith(BOM) ? BOM : "";
  const source = text.slice(bom.length);
  const replacements = matchEdits(source, bom ? edits.map(withoutBom) : edits, {
    path,
  });
  const edited = applyReplacements(source, replacements);
  if (edited === source) throw new ToolError(noChangeText(path, edits.length));
  return {
    bytes: new TextEncoder().encode(bom + edited),
    source,
    replacements,
  };
}

/** Bytes that are no UTF-8 would not survive being text, so such files are refused. */
function decode(bytes: Uint8Array, path: string): string {
  const encoding = byteOrderMark(bytes);
  const isUtf16 = encoding === "utf-16le" || encoding === "utf-16be";
  let reason = isUtf16
    ? `it is ${encoding.toUpperCase()} text`
    : "it is a binary file";
  if (!isUtf16 && !bytes.includes(0)) {
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
        bytes,
      );
    } catch {
      reason = "it holds bytes that are not valid UTF-8";
    }
  }
  throw new ToolError(
    `Cannot edit ${
      JSON.stringify(path)
    }: ${reason}, and edit changes UTF-8 text only`,
  );
}

function withoutBom({ oldText, newText }: Edit): Edit {
  return {
    oldText: oldText.startsWith(BOM) ? oldText.slice(1) : oldText,
    newText: newText.startsWith(BOM) ? newText.slice(1) : newText,
  };
}

function noChangeText(path: string, count: number): string {
  return count === 1
    ? `No changes made to ${path}. The replacement produced identical content. This might indicate an issue with special characters or the text not existing as expected.`
    : `No changes made to ${path}. The replacements produced identical content.`;
}

function successText(
  path: string,
  replacements: readonly Replacement[],
  outcome: WriteOutcome,
): string {
  const loose = replacements.filter((replacement) => replacement.loose).length;
  const notes = [
    `Successfully replaced ${replacements.length} block(s) in ${path}.`,
  ];
  if (loose > 0) {
    notes.push(
      `${loose} of them matched only loosely: quotes, dashes, spaces or white space at line ends differ from oldText. Check the result.`,
    );
  }
  if (outcome.inPlace) {
    notes.push(`Written in place, since ${outcome.inPlace}.`);
  }
  return notes.join(" ");
}
