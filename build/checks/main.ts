import { makeChecks } from "./checks.ts";

// Writes the checks of what crosses the process boundary. To be run when a
// schema has changed; a test says so.

await Deno.writeTextFile(
  new URL("../../src/protocol/checks.ts", import.meta.url),
  await makeChecks(),
);
