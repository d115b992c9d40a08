import { placeOfError } from "./explain_import_error.ts";
import type { PluginScope } from "./plugin_scope.ts";

/** Finds the plugins that may have caused an unhandled error: a promise that was not awaited, a timer that throws. */
export class StrayErrors {
  /** Also of plugins that could not be loaded, or are gone: what they began goes on. */
  readonly #scopes = new Set<PluginScope>();
  /** Errors of calls of the API, whose stacks do not show who called. */
  readonly #owners = new WeakMap<object, PluginScope>();
  /** How often the code of each plugin has been entered and not left. */
  readonly #running = new Map<string, number>();

  /** From now on what a plugin leaves behind is its own. */
  watch(scope: PluginScope): void {
    this.#scopes.add(scope);
  }

  /** The code of a plugin runs until the function that is returned is called. */
  enter(plugin: string): () => void {
    this.#running.set(plugin, (this.#running.get(plugin) ?? 0) + 1);
    return () => {
      const left = (this.#running.get(plugin) ?? 1) - 1;
      if (left > 0) this.#running.set(plugin, left);
      else this.#running.delete(plugin);
    };
  }

  /** A call of the API failed for a plugin. */
  claim(error: unknown, scope: PluginScope): void {
    if (error instanceof Error) this.#owners.set(error, scope);
  }

  /**
   * Those that it may be of. Much of what Deno raises shows nobody's place, such
   * as a `fetch` that fails: then it is one of those that run, or else any.
   */
  suspectsOf(error: unknown): PluginScope[] {
    const owner = error instanceof Error
      ? this.#owners.get(error) ?? this.#ownerByPlace(error)
      : undefined;
    if (owner) return [owner];
    const all = [...this.#scopes];
    const running = all.filter(({ name }) => this.#running.has(name));
    return running.length > 0 ? running : all;
  }

  #ownerByPlace(error: Error): PluginScope | undefined {
    let nearest: PluginScope | undefined;
    for (const scope of this.#scopes) {
      const { file } = placeOfError(error, scope.root) ?? {};
      if (file === undefined) continue;
      if (scope.ownPath(file) === scope.path) return scope;
      if (scope.root.length > (nearest?.root.length ?? 0)) nearest = scope;
    }
    return nearest;
  }
}
