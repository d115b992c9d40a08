/** A place in a file. */
export interface PluginPlace {
  /** Absolute. */
  file?: string;
  /** Counted from 1. */
  line?: number;
  /** Counted from 1. */
  column?: number;
}

/** Result of loading one plugin. */
export interface PluginDiagnostic extends PluginPlace {
  /** Name of its file or folder, for messages. */
  name: string;
  /** Its file, or what was named as one. */
  path: string;
  state: "loaded" | "failed";
  /** The reason why it failed. */
  reason?: string;
  /** Milliseconds for import and factory. */
  ms: number;
  /** Names of what it added. */
  tools: string[];
  commands: string[];
  flags: string[];
  /** Names of the events that it hears. */
  events: string[];
  /** Lines about what was left out, and why. */
  warnings: string[];
}

/** Something that a plugin got wrong after it was loaded. */
export interface PluginFault {
  /** The plugin's name. */
  plugin: string;
  path: string;
  /** The event, tool or command. */
  during: string;
  message: string;
  stack?: string;
}

/** A plugin cannot be loaded; the message says why. */
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
