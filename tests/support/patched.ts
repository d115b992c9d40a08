// deno-lint-ignore no-explicit-any
type Json = any;

/**
 * A copy of a tree of JSON with another value at a path such as `a.0.b`.
 * `undefined` removes a member; a list in the place of a list's item stands for
 * its items.
 */
export function patched(tree: Json, path: string, value: Json): Json {
  const changed = structuredClone(tree);
  const names = path.split(".");
  const last = names.pop() as string;
  const parent = names.reduce((inner, name) => inner[name], changed);
  if (Array.isArray(parent) && (value === undefined || Array.isArray(value))) {
    parent.splice(Number(last), 1, ...value ?? []);
  } else parent[last] = value;
  return JSON.parse(JSON.stringify(changed));
}
