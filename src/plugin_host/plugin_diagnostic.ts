/** Where in a file something is. */
export interface PluginPlace {
  /** Absolute. */
  file?: string;
  /** Counted from 1. */
  line?: number;
  /** Counted from 1. */
  column?: number;
}

/** How the loading of one plugin came out. */
export interface PluginDiagnostic extends PluginPlace {
  /** What it is called in messages: the name of its file or folder. */
  name: string;
  /** Its file, or what was named as one. */
  path: string;
  state: "loaded" | "failed";
  /** Why it failed. */
  reason?: string;
  /** Milliseconds for import and factory. */
  ms: number;
  /** Names of what it added. */
  tools: string[];
  commands: string[];
  flags: string[];
  /** Names of the events that it hears. */
  events: string[];
  /** What of it was left out, and why. */
  warnings: string[];
}

/** Something that a plugin got wrong after it was loaded. */
export interface PluginFault {
  /** The plugin's name. */
  plugin: string;
  path: string;
  /** Where: an event, a tool, a command. */
  during: string;
  message: string;
  stack?: string;
}

/** Why a plugin cannot be loaded. */
export class PluginLoadError extends Error {
  override name = "PluginLoadError";
  readonly place: PluginPlace;

  constructor(
    message: string,
    { place = {}, cause }: { place?: PluginPlace; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.place = place;
  }
}
