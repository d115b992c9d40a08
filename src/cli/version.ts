/** The version of tau, as deno.json has it. */
export const VERSION = "0.1.0";

/** What a program is made of. The build writes it beside the bundle. */
export interface BuildFacts {
  /** How it was packed. */
  form: "source" | "bundle" | "portable" | "compiled";
  /** Absent when it runs from source. */
  commit?: string;
}

/** What `--version` prints: the version, and what this very program is made of. */
export async function versionLine(): Promise<string> {
  const { form, commit } = await buildFacts();
  const facts = [
    form,
    ...(commit === undefined ? [] : [`commit ${commit}`]),
    `deno ${Deno.version.deno}`,
    Deno.build.target,
  ];
  return `tau ${VERSION} (${facts.join(", ")})\n`;
}

/** What this very program is made of. */
export async function buildFacts(): Promise<BuildFacts> {
  if (import.meta.url.endsWith(".ts")) return { form: "source" };
  const file = new URL("./build.json", import.meta.url);
  return JSON.parse(await Deno.readTextFile(file));
}
