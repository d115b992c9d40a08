import { makePluginApiPage } from "./plugin_api_page.ts";

// Writes the pages of docs/ that are made from the program. To be run when the
// public library has changed; a test says so.

const ROOT = new URL("../../", import.meta.url);

await Deno.mkdir(new URL("docs/", ROOT), { recursive: true });
await Deno.writeTextFile(
  new URL("docs/plugin-api.md", ROOT),
  await makePluginApiPage(
    await Deno.readTextFile(
      new URL("src/cli/plugins/declarations.txt", ROOT),
    ),
  ),
);
