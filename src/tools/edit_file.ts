import { withFileMutationQueue } from "../operations/file_mutation_queue.ts";
import {
  type EditOperations,
  sameStamp,
  type WriteOutcome,
} from "../operations/file_operations.ts";
import type { AgentToolResult } from "../agent/agent_tool.ts";
import { ToolError } from "../agent/tool_error.ts";
import { formatSize } from "../sdk/truncate.ts";
import type { FileToolParameters } from "./builtin.ts";
import { byteOrderMark } from "./decode_text.ts";
import type { EditDiff } from "./edit_diff.ts";
import { fileCall } from "./explain_file_error.ts";
import { fileChunks, wholeFile } from "./file_chunks.ts";
import { applyReplacements } from "./derived_text.ts";
import { type Edit, matchEdits, type Replacement } from "./match_edits.ts";
import type { CallOptions, FileToolOptions } from "./tool_options.ts";

const MAX_FILE_BYTES = 64 * 1024 * 1024;
const BOM = "\ufeff";

/** Makes all the replacements of a call of the edit tool, or none. */
export async function editFile(
  { path, edits }: FileToolParameters<"edit">,
  { operations, cwd, homeDir, stamps, signal }: CallOptions<
    FileToolOptions<EditOperations>,
    EditDiff
  >,
): Promise<AgentToolResult<EditDiff>> {
  signal?.throwIfAborted();
  const change = async (absolutePath: string) => {
    signal?.throwIfAborted();
    const file = { path, signal };
    const { bytes, stamp } = await readWhole(operations, absolutePath, file);
    const edited = editBytes(bytes, edits, { path });
    // The diff package takes a moment to load, and is needed only here.
    const { diffReplacements } = await import("./edit_diff.ts");
    const { source, replacements } = edited;
    const details = diffReplacements(source, replacements, { path });
    signal?.throwIfAborted();
    const options = { expected: stamp };
    const outcome = await operations
      .writeFile(absolutePath, edited.bytes, options);
    // What others changed since the session saw the file stays unseen.
    const seen = stamps?.get(outcome.realPath);
    if (!seen || sameStamp(seen, stamp)) stamps?.record(outcome);
    return {
      content: [{
        type: "text" as const,
        text: successText(path, replacements, outcome),
      }],
      details,
    };
  };
  return await fileCall(
    { action: "edit", path, cwd, homeDir, operations },
    (absolutePath) =>
      withFileMutationQueue(absolutePath, () => change(absolutePath), {
        realPath: (path) => operations.realPath(path),
      }),
  );
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
    const limit = formatSize(MAX_FILE_BYTES);
    throw refusal(path, `it is larger than ${limit}; change it with a program`);
  } finally {
    file.close();
  }
}

function refusal(path: string, reason: string): ToolError {
  return new ToolError(`Cannot edit ${JSON.stringify(path)}: ${reason}`);
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
      const options = { fatal: true, ignoreBOM: true };
      return new TextDecoder("utf-8", options).decode(bytes);
    } catch {
      reason = "it holds bytes that are not valid UTF-8";
    }
  }
  throw refusal(path, `${reason}, and edit changes UTF-8 text only`);
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
