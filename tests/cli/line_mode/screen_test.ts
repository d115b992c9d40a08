import assert from "node:assert/strict";
import { InputLine } from "../../../src/cli/line_mode/input_line.ts";
import { Screen } from "../../../src/cli/line_mode/screen.ts";
import { textWidth } from "../../../src/cli/line_mode/text_width.ts";
import { OutputWriter } from "../../../src/cli/output_writer.ts";

/** A screen, and what it wrote since it was last looked at. */
function screenOf(columns = 20): {
  screen: Screen;
  input: InputLine;
  terminal: { columns: number };
  written(): Promise<string>;
} {
  let text = "";
  const writer = new OutputWriter({
    write(bytes) {
      text += new TextDecoder().decode(bytes);
      return Promise.resolve(bytes.length);
    },
  });
  const input = new InputLine();
  const terminal = { columns };
  const screen = new Screen(writer, { input, columns: () => terminal.columns });
  return {
    screen,
    input,
    terminal,
    async written() {
      await writer.flush();
      const now = text;
      text = "";
      return now;
    },
  };
}

/** What the row shows and where the cursor stands in it. */
function rowIn(written: string): { shown: string; column: number } {
  // deno-lint-ignore no-control-regex -- what the screen writes
  const row = /\r\x1b\[K([^\x1b\r]*)\r(?:\x1b\[(\d+)C)?$/;
  const [, shown = "", column = "0"] = row.exec(written) ?? [];
  return { shown, column: Number(column) };
}

Deno.test("Screen.print() puts lines above the row that is typed in", async () => {
  const { screen, input, written } = screenOf();
  screen.print(["before it is open"]);
  assert.equal(await written(), "before it is open\r\n");
  screen.open();
  input.edit({ text: "typed" });
  screen.draw();
  await written();
  screen.print(["one", "two"]);
  assert.equal(
    await written(),
    "\r\x1b[Kone\r\ntwo\r\n\r\x1b[K> typed\r\x1b[7C",
  );
  screen.close();
  assert.equal(await written(), "\r\x1b[K\x1b[?2004l");
  screen.draw();
  screen.close();
  assert.equal(await written(), "");
});

Deno.test("Screen.draw() shows the part around the cursor, and no row is wider than the terminal", async () => {
  const text = "0123456789日本語の👩‍👧text\twith\nmore\x1b[2J\u202eand the end";
  for (const columns of [1, 2, 3, 4, 5, 8, 13, 20, 200]) {
    const { screen, input, written } = screenOf(columns);
    screen.open();
    input.edit({ text });
    for (let press = 0; press < 60; press++) {
      screen.draw();
      const { shown, column } = rowIn(await written());
      assert(textWidth(shown) < Math.max(2, columns), `${columns}: ${shown}`);
      assert(column <= textWidth(shown), `${columns}: ${shown} ${column}`);
      // deno-lint-ignore no-control-regex -- what must not be there
      assert.doesNotMatch(shown, /[\x00-\x1f]/);
      input.edit({ name: "left" });
    }
  }
});

Deno.test("Screen.draw() follows a terminal that changes its size", async () => {
  const { screen, input, terminal, written } = screenOf(80);
  screen.open();
  input.edit({ text: "abcdefghij" });
  terminal.columns = 8;
  screen.draw();
  assert.deepEqual(rowIn(await written()), { shown: "> fghij", column: 7 });
  terminal.columns = 80;
  screen.draw();
  assert.deepEqual(rowIn(await written()), {
    shown: "> abcdefghij",
    column: 12,
  });
});

Deno.test("Screen.draw() is quick with a megabyte in the row", async () => {
  const { screen, input, written } = screenOf(80);
  screen.open();
  const startMs = performance.now();
  for (let i = 0; i < 60; i++) {
    input.edit({ text: "日".repeat(4096) });
    screen.draw();
  }
  await written();
  assert(performance.now() - startMs < 10_000);
});
