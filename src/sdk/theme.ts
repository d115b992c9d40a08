/** What a piece of rendered text means; a theme turns it into colour. */
export type ThemeColor =
  | "accent"
  | "muted"
  | "success"
  | "error"
  | "warning"
  | "added"
  | "removed"
  | "toolTitle";

/** Turns meaning into terminal codes, or into nothing where there is no colour. */
export interface Theme {
  /** The text in the colour of what it means. */
  fg(color: ThemeColor, text: string): string;
  /** The text, set off. */
  bold(text: string): string;
}

/** A theme without colour. */
export const plainTheme: Theme = {
  fg: (_color, text) => text,
  bold: (text) => text,
};

/** Codes of the eight basic colours, which every terminal and theme of terminals knows. */
const CODES: Record<ThemeColor, number> = {
  accent: 36,
  muted: 90,
  success: 32,
  error: 31,
  warning: 33,
  added: 32,
  removed: 31,
  toolTitle: 35,
};

/** A theme for terminals with colour. */
export const terminalTheme: Theme = {
  fg: (color, text) => `\x1b[${CODES[color]}m${text}\x1b[39m`,
  bold: (text) => `\x1b[1m${text}\x1b[22m`,
};
