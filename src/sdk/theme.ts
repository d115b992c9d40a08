/** The meaning of a piece of text, which a theme turns into a colour. */
export type ThemeColor =
  | "accent"
  | "muted"
  | "success"
  | "error"
  | "warning"
  | "added"
  | "removed"
  | "toolTitle";

/** Gives text its colours on a terminal; where there are none, the text stays as it is. */
export interface Theme {
  /** Returns the text in a colour. */
  fg(color: ThemeColor, text: string): string;
  /** Returns the text in bold. */
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
