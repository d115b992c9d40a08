import { parseDuration } from "./duration.ts";
import type { PromptPart } from "./invocation.ts";

/** A word of the command line: text, a mention of a file, or `-` for stdin. */
export function toPromptPart(word: string): PromptPart {
  if (word === "-") return { stdin: true };
  return /^@./s.test(word) ? { file: word.slice(1) } : { text: word };
}

/** `provider/id`, or an id alone. */
export function parseModel(text: string): string {
  if (/^[\w@.:/+-]{1,200}$/.test(text)) return text;
  throw new Error("expected provider/id, such as anthropic/claude-sonnet-4-5");
}

/** Names of tools, once each. */
export function parseTools(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.every((name) => /^[\w-]{1,64}$/.test(name))) {
    return [...new Set(names)];
  }
  throw new Error("expected names between commas, such as read,grep,find,ls");
}

/** Milliseconds. */
export function parseTimeout(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw new Error(
    "expected seconds, or a number and a unit, such as 300, 90s, 5m, 1h",
  );
}

/** A port; 0 takes a free one. */
export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port >= 0 && port <= 65535) return port;
  throw new Error("expected a number from 0 to 65535; 0 takes a free one");
}

/** An address or a name. */
export function parseHost(text: string): string {
  if (/^[\w.:-]{1,253}$/.test(text)) return text;
  throw new Error("expected an address, such as 127.0.0.1");
}

/** A path that can be one. */
export function parseFileName(text: string): string {
  if (text !== "" && !text.includes("\0")) return text;
  throw new Error("expected a path");
}
