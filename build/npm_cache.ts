import { runProgram } from "./run_program.ts";

/** The folder where Deno keeps npm packages. It holds a folder for each registry. */
export async function npmCache(): Promise<string> {
  const info = await runProgram(Deno.execPath(), ["info", "--json"]);
  return JSON.parse(info).npmCache;
}
