import type { Row } from "../escape/attack.ts";
import { missing, needing } from "./needs.ts";

/** Registers a test that attacks the sandbox; git and Perl make the place for it. */
export const attackTest = needing("bubblewrap", "git", "perl");

/** The rows that can be tried on this machine and as this user. */
export function triable(rows: readonly Row[]): Row[] {
  return rows.filter(({ attack: { needs } }) =>
    needs === undefined || missing(needs) === undefined
  );
}
