import { placeOfError } from "./explain_import_error.ts";
import type { PluginScope } from "./plugin_scope.ts";

/** Finds the plugins that may have caused an unhandled error: a promise that was not awaited, a timer that throws. */
export class StrayErrors {
  /** Also of plugins that could not be loaded, or are gone: what they began goes on. */
  readonly #scopes = new Set<PluginScope>();
  /** Errors of calls of the API, whose stacks do not show who called. */
  readonly #owners = new WeakMap<object, PluginScope>();

  /** From now on what a plugin leaves behind is its own. */
  watch(scope: PluginScope): void {
    this.#scopes.add(scope);
  }

  /** A call of the API failed for a plugin. */
  claim(error: unknown, scope: PluginScope): void {
    if (error instanceof Error) this.#owners.set(error, scope);
  }

  /** Those that it may be of; none for an error of the program itself. */
  suspectsOf(error: unknown): PluginScope[] {
    // The program throws errors alone; only these say where they are from.
    if (!(error instanceof Error)) return [...this.#scopes];
    const owner = this.#owners.get(error) ?? this.#ownerByPlace(error);
    return owner ? [owner] : [];
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
