import { makeDeclarations } from "../declarations/make_declarations.ts";
import { withCommandLineTables } from "./command_line_tables.ts";
import { makePluginApiPage } from "./plugin_api_page.ts";

// Writes what is made from the program in docs/: the page of the plugin API, and
// the tables of options and commands. To be run when these have changed; a test
// says so.

const ROOT = new URL("../../", import.meta.url);

await Deno.mkdir(new URL("docs/", ROOT), { recursive: true });
await Deno.writeTextFile(
  new URL("docs/plugin-api.md", ROOT),
  await makePluginApiPage(await makeDeclarations(ROOT)),
);

const commandLine = new URL("docs/command-line.md", ROOT);
await Deno.writeTextFile(
  commandLine,
  await withCommandLineTables(await Deno.readTextFile(commandLine)),
);
