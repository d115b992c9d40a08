/** How a question may end without an answer. */
export interface DialogOptions {
  /** Takes the question back. */
  signal?: AbortSignal;
  /** Milliseconds after which the question is taken back. Default: none. */
  timeoutMs?: number;
}

/** A question to the user, as data. */
export type PluginDialog =
  | { kind: "confirm"; title: string; message: string }
  | { kind: "select"; title: string; options: string[] }
  | { kind: "input"; title: string; placeholder?: string }
  | { kind: "editor"; title: string; prefill?: string };

/** What the user answered; undefined when the question was dismissed. */
export type PluginDialogAnswer = string | boolean | undefined;

/**
 * Questions to the user. Where nobody can answer (`ctx.hasUI` is false), and
 * where the question is dismissed or taken back, `confirm` is false and the
 * others are undefined.
 */
export interface PluginUi {
  /** Yes or no. */
  confirm(
    title: string,
    message: string,
    options?: DialogOptions,
  ): Promise<boolean>;
  /** One of the options. */
  select(
    title: string,
    options: readonly string[],
    dialogOptions?: DialogOptions,
  ): Promise<string | undefined>;
  /** A line of text. */
  input(
    title: string,
    placeholder?: string,
    options?: DialogOptions,
  ): Promise<string | undefined>;
  /** A text of several lines. */
  editor(
    title: string,
    prefill?: string,
    options?: DialogOptions,
  ): Promise<string | undefined>;
  /** Tells the user something, on the terminal or as an event. */
  notify(message: string, level?: "info" | "warning" | "error"): void;
}
