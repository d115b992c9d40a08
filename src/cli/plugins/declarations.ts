/**
 * Declarations of all that a plugin can import from `tau`, as one module. The
 * build puts them beside the bundle; from source they are made when they are
 * asked for, which takes two seconds.
 */
export async function readDeclarations(): Promise<string> {
  if (!import.meta.url.endsWith(".ts")) {
    const file = new URL("./declarations.txt", import.meta.url);
    return await Deno.readTextFile(file);
  }
  const root = new URL("../../../", import.meta.url);
  // A bundler that saw the name would bundle the compiler of TypeScript.
  const maker = new URL("build/declarations/make_declarations.ts", root);
  const { makeDeclarations }: {
    makeDeclarations(root: URL): Promise<string>;
  } = await import(maker.href);
  return await makeDeclarations(root);
}
