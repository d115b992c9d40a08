import { drawPicture } from "./draw_picture.ts";
import { recordDemo } from "./record_demo.ts";

// Writes docs/demo.svg, the moving picture of `tau demo`. To be run when what
// the demo prints has changed; a test says so.

const ROOT = new URL("../../", import.meta.url);

await Deno.mkdir(new URL("docs/", ROOT), { recursive: true });
await Deno.writeTextFile(
  new URL("docs/demo.svg", ROOT),
  drawPicture(await recordDemo(ROOT)),
);
