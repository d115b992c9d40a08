import { UsageError } from "../settings/usage_error.ts";
import { StoppedError } from "./stop_signals.ts";

/** A word of the prompt, the place where stdin belongs, or a file to attach. */
export type PromptPart = { text: string } | { stdin: true } | { file: string };

/** A source of bytes, such as `Deno.stdin`. */
export interface PromptSource {
  /** Bytes read, or null at the end. */
  read(buffer: Uint8Array): Promise<number | null>;
  isTerminal(): boolean;
}

const MAX_BYTES = 10 * 1024 * 1024;

const HOW_TO =
  'give a prompt as an argument, tau -p "fix the failing test", or on stdin, git diff | tau -p "review this:" -';

/** The parts of the prompt that a command line has. */
export function promptParts(
  { words, literal }: { words: readonly string[]; literal: readonly string[] },
): PromptPart[] {
  return [
    ...words.map((word) =>
      word === "-"
        ? { stdin: true } as const
        : /^@./s.test(word)
        ? { file: word.slice(1) }
        : { text: word }
    ),
    ...literal.map((text) => ({ text })),
  ];
}

/**
 * The prompt of a run: the words of the command line, stdin in the place of
 * `-`. Stdin is read only for a `-`, or when there is no word and it is not a
 * terminal: an inherited pipe that nobody closes does not hold a run up. Files to
 * attach count as words, and add nothing here.
 *
 * Throws {@linkcode UsageError} for an empty prompt. `stopped` is called when
 * stdin is read, and ends that by its rejection with a {@linkcode StoppedError}.
 */
export async function readPrompt(
  parts: readonly PromptPart[],
  stdin: PromptSource,
  stopped?: () => Promise<never>,
): Promise<string> {
  const wanted = parts.length > 0
    ? parts
    : stdin.isTerminal()
    ? []
    : [{ stdin: true } as const];
  let fromStdin: string | undefined;
  const words: string[] = [];
  for (const part of wanted) {
    if ("file" in part) continue;
    if ("text" in part) {
      words.push(part.text);
    } else if (fromStdin === undefined) {
      words.push(fromStdin = await readAll(stdin, stopped));
    } else {
      throw new UsageError("- is given twice: stdin can be read only once");
    }
  }
  const prompt = words.join(" ");
  const isAttached = parts.some((part) => "file" in part);
  if (isAttached || prompt.trim() !== "") return prompt;
  const problem = fromStdin === undefined ? "No prompt" : "Stdin is empty";
  throw new UsageError(`${problem}: ${HOW_TO}`);
}

/** All of a stream as text, without the line breaks at its end. */
async function readAll(
  stdin: PromptSource,
  stopped?: () => Promise<never>,
): Promise<string> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(64 * 1024);
  const texts: string[] = [];
  const stop = stopped?.();
  // It may come between two reads.
  stop?.catch(() => {});
  const read = () => {
    const n = stdin.read(buffer);
    return stop ? Promise.race([n, stop]) : n;
  };
  let bytes = 0;
  try {
    for (let n: number | null = 0; n !== null; n = await read()) {
      bytes += n;
      if (bytes > MAX_BYTES) break;
      texts.push(decoder.decode(buffer.subarray(0, n), { stream: true }));
    }
  } catch (error) {
    if (error instanceof StoppedError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`Cannot read the prompt from stdin: ${why}`, {
      cause: error,
    });
  }
  if (bytes > MAX_BYTES) {
    throw new UsageError(
      "The prompt on stdin is larger than 10 MiB; put it in a file and name that file in the prompt",
    );
  }
  texts.push(decoder.decode());
  const text = texts.join("");
  let end = text.length;
  while (text[end - 1] === "\n" || text[end - 1] === "\r") end--;
  return text.slice(0, end);
}
