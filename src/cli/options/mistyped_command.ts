import { nearestKey } from "../../model/nearest_key.ts";
import { COMMANDS } from "./command_table.ts";

const MAX_EDITS = 2;

/** Words that other programs have for commands, with the way to the same in tau. */
const OTHER_WORDS: readonly [way: string, words: readonly string[]][] = [
  ["set a key, such as ANTHROPIC_API_KEY, and see tau doctor", [
    "auth",
    "login",
    "logout",
    "setup",
  ]],
  ["settings are a file: tau schema settings", [
    "config",
    "configure",
    "settings",
  ]],
  ["a conversation is begun by tau alone", ["chat"]],
  ['to run a prompt: tau -p "…"', ["exec", "run"]],
  ["to continue a session: tau -c", ["continue", "resume"]],
  ["stored sessions: tau sessions", ["history", "list", "ls"]],
  ["to talk to a program: tau rpc", ["serve"]],
  ["see tau plugins", ["extension", "extensions", "mcp"]],
  ["this version: tau version", ["update", "upgrade"]],
];

/**
 * One line on a prompt of one word that is most likely a command: one that was
 * mistyped, or one of another program. Undefined for any other word.
 */
export function describeMistypedCommand(word: string): string | undefined {
  const instead = `To send it as a prompt: tau -- ${word}`;
  const names = Object.keys(COMMANDS).filter((name) => name !== "");
  if (names.includes(word)) return undefined;
  const lower = word.toLowerCase();
  const [way] = OTHER_WORDS.find(([, words]) => words.includes(lower)) ?? [];
  if (way !== undefined) {
    return `tau has no command "${word}": ${way}. ${instead}`;
  }
  const nearest = nearestKey(lower, names, { maxEdits: MAX_EDITS });
  return nearest &&
    `Unknown command "${word}"; did you mean: tau ${nearest}. ${instead}`;
}
