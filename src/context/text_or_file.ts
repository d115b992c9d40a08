import { reasonOf } from "../model/error_reason.ts";
import { readFileHead } from "../settings/read_file_head.ts";
import { UsageError } from "../settings/usage_error.ts";

const MAX_BYTES = 1024 * 1024;
const LOOKS_LIKE_A_PATH = /^\S+\.(md|txt)$|^(\.{0,2}|~)\/\S*$/;

/**
 * The value of an option that takes a text or the name of a file that holds
 * it. Throws {@linkcode UsageError} for a file that cannot be read, and for
 * what looks like the name of one that is not there.
 */
export function textOrFile(value: string, option: string): string {
  const fail = (why: string, cause?: unknown) =>
    new UsageError(
      `Cannot read ${JSON.stringify(value)} for ${option}: ${why}`,
      {
        cause,
      },
    );
  let head;
  try {
    // Longer ones name no file, and no system call takes a NUL.
    const mayBeName = value.length <= 255 && !/[\0\n]/.test(value);
    head = mayBeName ? readFileHead(value, MAX_BYTES) : undefined;
  } catch (error) {
    throw fail(reasonOf(error), error);
  }
  if (head && head.size > MAX_BYTES) throw fail("larger than 1 MiB");
  if (head) return new TextDecoder().decode(head.bytes).trim();
  if (LOOKS_LIKE_A_PATH.test(value)) throw fail("no such file");
  return value;
}
