import type { GrantedCapabilities, RunResult } from "./result_schema.ts";

/** Grants of a run that did not get as far as to be given anything. */
export const NOTHING_GRANTED: Readonly<GrantedCapabilities> = {
  profile: "workspace",
  read: [],
  write: [],
  commandsWrite: [],
  net: "none",
  environment: [],
};

/** The answer as it leaves the program: its JSON where it had to be that, else its text, with a line end behind it. */
export function answerOf({ text, structured }: RunResult): string {
  if (structured !== undefined) return `${JSON.stringify(structured)}\n`;
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
