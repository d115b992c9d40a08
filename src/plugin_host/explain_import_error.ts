import { PluginLoadError, type PluginPlace } from "./plugin_diagnostic.ts";

const ANSI = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");
/** Deno writes addresses with and without escapes, so that one may hold spaces and parentheses. */
const PLACE = /(file:\/\/(?:(?!file:\/\/)[^\n])+?):(\d+):(\d+)/g;
const MAX_REASON = 2000;

/** Deno's texts for imports that failed, and their meaning for a plugin. The first that matches counts. */
const REASONS: [RegExp, (match: RegExpMatchArray) => string][] = [
  [
    /^SyntaxError: ([^\n]*)/,
    ([, what]) => `Syntax error: ${what}`,
  ],
  [
    // What a compiled program says: with a place that counts bytes.
    /^JsErrorBox \{ inner: ParseDiagnostic\(.*? path: ("(?:[^"\\]|\\.)*").*? kind: (\w+)/,
    ([, path, kind]) => `Syntax error: ${kind} in ${path}`,
  ],
  [
    /^Module not found "([^"]*)"/,
    ([, address = ""]) =>
      `It imports ${JSON.stringify(pathOf(address))}, which does not exist`,
  ],
  [
    /^npm specifiers were requested/,
    () => bundle("an npm package"),
  ],
  [
    /^Requires import access to "([^"]*)"/,
    ([, host]) => bundle(`a module from ${host}`),
  ],
  [
    /^JSR package manifest for '([^']*)'/,
    ([, name]) => bundle(`the package jsr:${name}`),
  ],
  [
    /^A remote specifier was requested: "([^"]*)"/,
    ([, address]) => bundle(address ?? "a module from the network"),
  ],
  [
    /^Import '([^']*)' failed/,
    ([, address]) => bundle(address ?? "a module from the network"),
  ],
  [
    /^Import "([^"]*)" not a dependency/,
    ([, name]) => bundle(`the package ${JSON.stringify(name)}`),
  ],
  [
    /^Could not find (?:constraint|a matching package)/,
    () => bundle("an npm package"),
  ],
  [
    /^Requires read access to "([^"]*)"/,
    ([, path]) =>
      `It imports ${
        JSON.stringify(path)
      }, which this run may not read: a plugin's modules lie beside it or below its folder`,
  ],
];

function bundle(what: string): string {
  return `It imports ${what}, and plugins are loaded without packages and without the network: bundle it into the file`;
}

/**
 * Says why and where a plugin could not be imported, in words that help its author.
 * Deno's errors carry no code that tells them apart, so their texts decide.
 */
export function explainImportError(
  error: unknown,
  { entry, root }: { entry: string; root: string },
): PluginLoadError {
  const text = textOf(error);
  const place = placeIn(text, root) ?? placeIn(stackOf(error), root) ??
    { file: entry };
  for (const [pattern, explain] of REASONS) {
    const match = text.match(pattern);
    if (!match) continue;
    return new PluginLoadError(explain(match), { place, cause: error });
  }
  const [first = ""] = text.split("\n", 1);
  return new PluginLoadError(
    error instanceof SyntaxError
      ? `Syntax error: ${first.replace(PLACE, "").replace(/ at $/, "")}`
      : `It threw while it was loaded: ${text}`.slice(0, MAX_REASON),
    { place, cause: error },
  );
}

/** The innermost place below `root` that an error comes from. */
export function placeOfError(
  error: unknown,
  root: string,
): PluginPlace | undefined {
  return placeIn(stackOf(error), root);
}

function placeIn(text: string, root: string): PluginPlace | undefined {
  for (const [, address = "", line, column] of text.matchAll(PLACE)) {
    const file = [pathOf(address), address.slice("file://".length)]
      .find((path) => path.startsWith(`${root}/`));
    if (file === undefined) continue;
    return { file, line: Number(line), column: Number(column) };
  }
  return undefined;
}

function pathOf(address: string): string {
  if (!address.startsWith("file://")) return address;
  try {
    return decodeURIComponent(address.slice("file://".length));
  } catch {
    return address;
  }
}

function textOf(error: unknown): string {
  try {
    const text = error instanceof Error
      ? error.message || error.name
      : String(error);
    return text.replace(ANSI, "");
  } catch {
    return "an object that says nothing";
  }
}

function stackOf(error: unknown): string {
  try {
    const stack = error instanceof Error ? error.stack : undefined;
    return typeof stack === "string" ? stack : "";
  } catch {
    return "";
  }
}
