/** Finds the schema that a `$ref` refers to, by place or by `$id`; `undefined` for nothing. */
export function resolveReference(root: unknown, reference: string): unknown {
  return reference.startsWith("#")
    ? resolvePointer(root, reference)
    : findById(root, reference);
}

/** A name as a part of a JSON pointer. */
export function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Finds the value that a JSON pointer such as `#/$defs/node` points to. */
function resolvePointer(root: unknown, reference: string): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let target = root;
  for (const part of reference.slice(2).split("/")) {
    const name = decodePointer(part);
    if (typeof target !== "object" || target === null) return undefined;
    if (name === undefined || !Object.hasOwn(target, name)) return undefined;
    target = (target as Record<string, unknown>)[name];
  }
  return target;
}

function decodePointer(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return undefined;
  }
}

function findById(root: unknown, id: string): unknown {
  const seen = new Set<unknown>();
  const open = [root];
  while (open.length > 0) {
    const schema = open.pop();
    if (typeof schema !== "object" || schema === null || seen.has(schema)) {
      continue;
    }
    seen.add(schema);
    if ("$id" in schema && schema.$id === id) return schema;
    open.push(...Object.values(schema));
  }
  return undefined;
}
