import type { Console } from "./console.ts";

/** The version of tau, as deno.json has it. */
export const VERSION = "0.1.0";

/** Facts about a packed program. The build writes them beside the bundle. */
export interface BuildFacts {
  /** Form in which it was packed. */
  form: "source" | "bundle" | "portable" | "compiled";
  /** Absent when it runs from source. */
  commit?: string;
}

/** `tau version`: the version, and how this program was packed. Returns the exit code. */
export async function versionCommand(
  _line: unknown,
  { console }: { console: Console },
): Promise<number> {
  const { form, commit } = await buildFacts();
  const facts = [
    form,
    ...(commit === undefined ? [] : [`commit ${commit}`]),
    `deno ${Deno.version.deno}`,
    Deno.build.target,
  ];
  console.stdout.write(`tau ${VERSION} (${facts.join(", ")})\n`);
  return await console.settle(0);
}

/** Facts about the program that runs. */
export async function buildFacts(): Promise<BuildFacts> {
  if (import.meta.url.endsWith(".ts")) return { form: "source" };
  const file = new URL("./build.json", import.meta.url);
  return JSON.parse(await Deno.readTextFile(file));
}
