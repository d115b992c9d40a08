import assert from "node:assert/strict";
import { createLocalPowerShellOperations } from "../../src/operations/local_shell_operations.ts";
import { createPowerShellTool } from "../../src/tools/factories.ts";
import { inTempFolder } from "../support/temp_folder.ts";
import { outcomeOf, type ToolOutcome } from "../support/tool_outcome.ts";

/** Prints its name and flags, then runs the lines behind those that set the encoding, as sh would. */
const FAKE = `#!/bin/sh
echo "$\{0##*/}"
while [ $# -gt 1 ]; do echo "$1"; shift; done
echo "$1" | head -n 2
eval "$(echo "$1" | tail -n +3)"
`;

const PREAMBLE = `-NoLogo
-NoProfile
-NonInteractive
-Command
[Console]::OutputEncoding = [System.Text.UTF8Encoding]::new($false)
$OutputEncoding = [Console]::OutputEncoding
`;

/** Runs a command on a machine that has these programs, besides the usual ones. */
async function powershell(
  programs: readonly string[],
  command: string,
  cwd = "/",
): Promise<ToolOutcome> {
  let outcome: ToolOutcome | undefined;
  await inTempFolder(async (folder) => {
    for (const name of programs) {
      await Deno.writeTextFile(`${folder}/${name}`, FAKE, { mode: 0o755 });
    }
    const operations = createLocalPowerShellOperations({
      environment: { PATH: `${folder}:/usr/bin:/bin` },
    });
    outcome = await outcomeOf(createPowerShellTool(cwd, { operations }), {
      command,
    });
  });
  return outcome as ToolOutcome;
}

Deno.test("powershell runs a command in pwsh, else in powershell, with UTF-8 output", async () => {
  for (
    const [programs, chosen] of [
      [["powershell"], "powershell"],
      [["powershell", "pwsh"], "pwsh"],
    ] as const
  ) {
    const command = "echo out; echo 'ä \"1\"' >&2; echo end; exit 3";
    const { text } = await powershell(programs, command);
    const printed = `${chosen}\n${PREAMBLE}out\nä "1"\nend`;
    assert.equal(text, `${printed}\n\nCommand exited with code 3`);
  }
});

Deno.test("powershell takes a command that begins with a dash for a command", async () => {
  const { text } = await powershell(["pwsh"], "-File x");
  assert.match(text, /^pwsh\n-NoLogo\n-NoProfile\n-NonInteractive\n-Command\n/);
  assert.match(text, /-File.*not found/);
});

Deno.test("powershell says what would work where there is none, and where its folder is none", async () => {
  const none = await powershell([], "echo x");
  assert.deepEqual([none.text, none.isError], [
    "Cannot run PowerShell: neither pwsh nor powershell is on PATH; use the bash tool, or have PowerShell 7 installed",
    true,
  ]);
  const cwd = "/nonexistent/folder";
  assert.equal(
    (await powershell(["pwsh"], "echo x", cwd)).text,
    `Working directory does not exist: ${cwd}\nCannot execute powershell commands.`,
  );
});
