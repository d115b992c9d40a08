import { UsageError } from "../settings/usage_error.ts";
import type { CommandLine } from "./options/command_table.ts";
import type { Surroundings } from "./program.ts";

/** `tau licenses`: prints tau's licence and those of its parts, which the build puts beside the bundle. Returns the exit code; throws a {@linkcode UsageError} for a program that runs from source. */
export async function licensesCommand(
  _line: CommandLine<"licenses">,
  { console }: Surroundings,
): Promise<number> {
  if (import.meta.url.endsWith(".ts")) {
    throw new UsageError(
      'The licences are put together when tau is built: "deno task build --bundle" writes them to dist/app/THIRD_PARTY_NOTICES',
    );
  }
  const texts = await Promise.all(
    ["LICENSE", "THIRD_PARTY_NOTICES"].map((name) =>
      Deno.readTextFile(new URL(`./${name}`, import.meta.url))
    ),
  );
  console.stdout.write(texts.join("\n"));
  return await console.settle(0);
}
