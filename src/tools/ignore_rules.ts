import ignore, { type Ignore } from "ignore";

/** The rules of one folder. */
interface Layer {
  /** The folder, from the top, with a slash at its end; empty for the top. */
  folder: string;
  rules: Ignore;
}

/**
 * The rules of ignore files that hold in one folder, as git reads them: those
 * of the folder itself before those above it, the last rule of a file first.
 * Paths are relative to the top folder, the one with the topmost rules.
 * Immutable.
 */
export class IgnoreRules {
  static readonly none = new IgnoreRules([]);

  /** The nearest folder first. */
  #layers: Layer[];

  private constructor(layers: Layer[]) {
    this.#layers = layers;
  }

  /** Adds the rules of a folder's ignore files, later texts over earlier ones. */
  with(folder: string, texts: string[]): IgnoreRules {
    if (texts.length === 0) return this;
    const rules = newRules();
    for (const text of texts) {
      for (const line of text.replace(/^\ufeff/, "").split(/\r?\n/)) {
        if (isCheap(line)) rules.add({ pattern: line });
      }
    }
    return new IgnoreRules([
      { folder: folder === "" ? "" : `${folder}/`, rules },
      ...this.#layers,
    ]);
  }

  /** True when a path is left out. The folders above it must be known not to be. */
  ignores(path: string, isDirectory: boolean): boolean {
    for (const { folder, rules } of this.#layers) {
      const inFolder = pathIn(folder, path, isDirectory);
      const { ignored, unignored } = rules.test(inFolder);
      if (ignored || unignored) return ignored;
    }
    return false;
  }

  /**
   * The rules for going into a folder that is not left out, or all the same.
   * Every rule that would leave it out, and with it all below it, has been
   * overruled by a nearer file or by whoever named the folder.
   */
  entering(folder: string): IgnoreRules {
    let changed = false;
    const layers = this.#layers.map((layer) => {
      const path = pathIn(layer.folder, folder, true);
      if (!layer.rules.test(path).ignored) return layer;
      changed = true;
      const pattern = `!/${path.replace(/[^\w/]/gu, "\\$&")}`;
      const rules = newRules().add(layer.rules).add({ pattern });
      return { folder: layer.folder, rules };
    });
    return changed ? new IgnoreRules(layers) : this;
  }
}

function pathIn(folder: string, path: string, isDirectory: boolean): string {
  return path.slice(folder.length) + (isDirectory ? "/" : "");
}

function newRules(): Ignore {
  return ignore({ ignorecase: false, allowRelativePaths: true });
}

/** A pattern of many wildcards can take a regular expression for ever; no real one has as many. */
function isCheap(pattern: string): boolean {
  if (pattern.length > 4096) return false;
  const parts = pattern.split("/");
  return parts.length < 50 &&
    parts.filter((part) => part === "**").length <= 4 &&
    parts.every((part) => (part.match(/\*+/g)?.length ?? 0) <= 3);
}
