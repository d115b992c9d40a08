/** The version of tau, as deno.json has it. */
export const VERSION = "0.1.0";

/** What `--version` prints. */
export function versionLine(): string {
  return `tau ${VERSION} (deno ${Deno.version.deno}, ${Deno.build.target})\n`;
}
