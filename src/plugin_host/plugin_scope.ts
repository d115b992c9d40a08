import { StalePluginError } from "../sdk/plugin_context.ts";
import type { PluginSource } from "./find_plugins.ts";

/** The life of one loaded plugin: what it was given works for as long as it lasts. */
export class PluginScope {
  readonly name: string;
  readonly path: string;
  /** Folder that its modules were loaded from: its own, or a copy of it. */
  readonly root: string;
  readonly #folder: string;
  #state: "loading" | "ready" | "gone" = "loading";

  constructor({ name, entry, folder }: PluginSource, root: string) {
    this.name = name;
    this.path = entry;
    this.root = root;
    this.#folder = folder;
  }

  /** A path below the root as it is in the plugin's own folder. */
  ownPath(path: string): string {
    return this.#folder + path.slice(this.root.length);
  }

  get isReady(): boolean {
    return this.#state === "ready";
  }

  /** Its registrations count from now on. */
  open(): void {
    this.#state = "ready";
  }

  /** Whatever it was given throws from now on. */
  revoke(): void {
    this.#state = "gone";
  }

  /** Throws once the plugin was unloaded. */
  assertAlive(): void {
    if (this.#state !== "gone") return;
    throw new StalePluginError(
      `The plugin "${this.name}" was unloaded: what it was given before works no more. Use what handlers are given, and what a reloaded plugin's function is given`,
    );
  }

  /** Throws while the plugin is being loaded, too. */
  assertReady(): void {
    this.assertAlive();
    if (this.#state === "ready") return;
    throw new Error(
      "Plugin runtime not initialized. Action methods cannot be called during plugin loading.",
    );
  }
}
