/** Finds the plugin whose code a kernel is in, by its notes before it enters and when it has left. */
export class RunningPlugins {
  readonly #running = new Map<number, string>();

  /** Takes a note; false when it is none. */
  take(json: string): boolean {
    try {
      const { id, plugin } = JSON.parse(json);
      if (!Number.isSafeInteger(id)) return false;
      if (typeof plugin === "string") {
        this.#running.set(id, plugin.slice(0, MAX_NAME));
      } else this.#running.delete(id);
      return true;
    } catch {
      return false;
    }
  }

  /** The plugin that was entered last and not left. */
  get last(): string | undefined {
    return [...this.#running.values()].at(-1);
  }

  /** The plugins that were running, for a message; the last that was entered first. */
  get blame(): string {
    const names = new Set([...this.#running.values()].reverse());
    if (names.size === 0) return "";
    const [last = "", ...others] = [...names].slice(0, MAX_NAMES)
      .map((name) => JSON.stringify(name));
    return others.length === 0
      ? `, in the plugin ${last}`
      : `, in the plugin ${last}, or in ${others.join(", ")}`;
  }
}

const MAX_NAME = 200;
const MAX_NAMES = 4;
