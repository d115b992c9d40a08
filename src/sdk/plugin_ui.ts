/** Options of a question. */
export interface DialogOptions {
  /** Takes the question back when it aborts. */
  signal?: AbortSignal;
  /** Milliseconds after which the question is taken back. Default: no limit. */
  timeoutMs?: number;
}

/** A question to the user, as data. */
export type PluginDialog =
  | { kind: "confirm"; title: string; message: string }
  | { kind: "select"; title: string; options: string[] }
  | { kind: "input"; title: string; placeholder?: string }
  | { kind: "editor"; title: string; prefill?: string };

/** The answer of the user; undefined when the question was dismissed. */
export type PluginDialogAnswer = string | boolean | undefined;

/**
 * Questions to the user. Where nobody can answer (`ctx.hasUI` is false), and
 * where the question is dismissed or taken back, `confirm` is false and the
 * others are undefined.
 */
export interface PluginUi {
  /** Asks for yes or no. */
  confirm(
    title: string,
    message: string,
    options?: DialogOptions,
  ): Promise<boolean>;
  /** Asks for one of the options. */
  select(
    title: string,
    options: readonly string[],
    dialogOptions?: DialogOptions,
  ): Promise<string | undefined>;
  /** Asks for a line of text. */
  input(
    title: string,
    placeholder?: string,
    options?: DialogOptions,
  ): Promise<string | undefined>;
  /** Asks for a text of several lines. */
  editor(
    title: string,
    prefill?: string,
    options?: DialogOptions,
  ): Promise<string | undefined>;
  /** Shows the user a message: on the terminal, or as an event of a program that reads JSON. */
  notify(message: string, level?: "info" | "warning" | "error"): void;
}
