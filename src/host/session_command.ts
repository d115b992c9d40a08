import type { UserContent } from "../model/content.ts";

/** Commands to a session beside its runs. */
export type SessionCommand =
  /** Forgets what is queued: `{ steering, followUp }`, lists of texts. */
  | { name: "clear_queue" }
  /** Queues what the user says for before the next request of the run. */
  | { name: "steer"; content: string | UserContent[] }
  /** Queues what the user says for when the run would end. */
  | { name: "follow_up"; content: string | UserContent[] }
  /**
   * Runs a command of the user with the rights of the bash tool: `{ output,
   * exitCode, cancelled, truncated, fullOutputPath? }`. What it prints is told
   * by events `shell_update` with that id, and joins the conversation, unless
   * it is to stay out of it.
   */
  | { name: "shell"; command: string; isPrivate: boolean; id?: string }
  /** Replaces the first part of the conversation by a summary: `{ tokensBefore }`. */
  | { name: "compact"; instructions?: string | undefined }
  /** Loads plugins anew whose files have changed: `{ loaded, failed }`, lists of names. */
  | { name: "reload" }
  /** The commands of plugins: `{ commands }`, a list of `{ name, description? }`. */
  | { name: "list_commands" };
