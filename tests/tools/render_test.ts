import assert from "node:assert/strict";
import { plainTheme } from "../../src/sdk/theme.ts";
import {
  createBashToolDefinition,
  createEditToolDefinition,
  createGrepToolDefinition,
  createPowerShellToolDefinition,
  createReadToolDefinition,
  createWriteToolDefinition,
} from "../../src/tools/factories.ts";

const read = createReadToolDefinition("/w");
const edit = createEditToolDefinition("/w");
const bash = createBashToolDefinition("/w");
const context = { cwd: "/w", width: 80 };
const given = [plainTheme, context] as const;
const collapsed = { expanded: false, isPartial: false };
const expanded = { expanded: true, isPartial: false };

Deno.test("renderCall() shows a call as far as it has arrived, without control characters", () => {
  const grep = createGrepToolDefinition("/w");
  const { renderCall: write } = createWriteToolDefinition("/w");
  const { renderCall: powershell } = createPowerShellToolDefinition("/w");
  const content = "\x1b[2J\n" + "x\n".repeat(20);
  const search = { pattern: "a\nb", path: "src", glob: "*.ts" };
  const command = "cd a\nls \x1b[31m";
  for (
    const [lines, expected] of [
      [read.renderCall?.({}, ...given), ["read …"]],
      [
        read.renderCall?.({ path: "/w/a\x1b[2Jb", offset: 5 }, ...given),
        ["read a␛[2Jb:5"],
      ],
      [
        read.renderCall?.({ path: "/x/a", offset: 5, limit: 3 }, ...given),
        ["read /x/a:5-7"],
      ],
      [edit.renderCall?.({ path: "/w/f" }, ...given), ["edit f"]],
      [
        write?.({ path: "/w/f", content }, ...given),
        ["write f", "␛[2J", ...Array(9).fill("x"), "... (11 more lines)"],
      ],
      [grep.renderCall?.(search, ...given), ["grep /a␊b/ in src (*.ts)"]],
      [grep.renderCall?.({}, ...given), ["grep … in ."]],
      [bash.renderCall?.({}, ...given), ["$ ..."]],
      [
        bash.renderCall?.({ command, timeout: 5 }, ...given),
        ["$ cd a", "  ls ␛[31m (timeout 5 s)"],
      ],
      [
        powershell?.({ command: "Get-Date\nexit 1" }, ...given),
        ["PS> Get-Date", "    exit 1"],
      ],
    ]
  ) assert.deepEqual(lines, expected);
});

Deno.test("renderResult() shows the start of a file, the end of an output and the colours of a diff", () => {
  const all = Array.from({ length: 12 }, (_, i) => `line ${i}`);
  const text = all.join("\n") + "\n";
  const result = {
    content: [{ type: "text" as const, text }],
    details: undefined,
  };
  const theme = {
    ...plainTheme,
    fg: (color: string, text: string) => `<${color}>${text}`,
  };
  const failed = [{ type: "text" as const, text: "\x1b[31mfailed" }];
  const details = { diff: " 1 a\n-2 \x1b[2J\n+2 b" };
  for (
    const [lines, expected] of [
      [
        read.renderResult?.(result, collapsed, ...given),
        [...all.slice(0, 10), "... (2 more lines)"],
      ],
      [read.renderResult?.(result, expanded, ...given), all],
      [
        bash.renderResult?.(result, collapsed, ...given),
        ["... (2 earlier lines)", ...all.slice(2)],
      ],
      [bash.renderResult?.(result, expanded, ...given), all],
      [
        edit.renderResult?.(
          { content: [], details },
          collapsed,
          theme,
          context,
        ),
        [" 1 a", "<removed>-2 ␛[2J", "<added>+2 b"],
      ],
      [
        edit.renderResult?.(
          { content: failed, details, isError: true },
          collapsed,
          theme,
          context,
        ),
        ["<error>␛[31mfailed"],
      ],
    ]
  ) assert.deepEqual(lines, expected);
});
