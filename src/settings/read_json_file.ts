import { reasonOf } from "../model/error_reason.ts";
import type { JsonValue } from "../model/content.ts";
import { jsonFaultPosition } from "./json_position.ts";
import { readFileHead } from "./read_file_head.ts";
import { UsageError } from "./usage_error.ts";

const MAX_BYTES = 1024 * 1024;

/** The JSON of a small file; undefined when there is none. Throws {@linkcode UsageError} that names the place. */
export function readJsonFile(path: string): JsonValue | undefined {
  const name = JSON.stringify(path);
  let source: string;
  try {
    const head = readFileHead(path, MAX_BYTES);
    if (!head) return undefined;
    if (head.size > MAX_BYTES) throw new Error("it is larger than 1 MiB");
    // The decoder takes a byte order mark away.
    source = new TextDecoder("utf-8", { fatal: true }).decode(head.bytes);
  } catch (error) {
    const why = error instanceof TypeError
      ? "it is not UTF-8"
      : reasonOf(error);
    throw new UsageError(`Cannot read ${name}: ${why}`, {
      cause: error,
    });
  }
  try {
    return JSON.parse(source);
  } catch (error) {
    const { line, column } = jsonFaultPosition(source);
    throw new UsageError(
      `Cannot read ${name}: not JSON at line ${line}, column ${column}`,
      { cause: error },
    );
  }
}
