import { examineMachine, type MachineReport } from "../host/examine_machine.ts";
import type { KernelProgram } from "../host/kernel_process.ts";
import type { Console } from "./console.ts";
import { readConfiguration } from "./read_configuration.ts";
import { jsonLine, terminalText } from "./terminal_text.ts";

/** `tau doctor`: what runs find on this machine. Returns 1 where they lack something, else 0. */
export async function doctorCommand(
  { json }: { json: boolean },
  { console, env, kernel }: {
    console: Console;
    env: Record<string, string>;
    kernel: KernelProgram;
  },
): Promise<number> {
  const { options, warnings } = await readConfiguration(
    { print: true, continue: false, fork: false, "no-session": true },
    { env, attachments: [] },
  );
  for (const warning of warnings) console.warn(warning);
  const report = await examineMachine({ ...options, env, kernel });
  console.stdout.write(json ? jsonLine(report) : text(report));
  const isFine = report.findings.every((finding) => finding.isFine);
  return await console.settle(isFine ? 0 : 1);
}

function text({ findings, doors, limits, keys }: MachineReport): string {
  const width = Math.max(...findings.map(({ name }) => name.length)) + 2;
  const lines = [
    ...findings.map(({ name, isFine, detail }) =>
      `${isFine ? "ok  " : "no  "}${name.padEnd(width)}${detail}`
    ),
    `    ${"keys".padEnd(width)}${keyList(keys)}`,
    "",
    "What holds what:",
    ...doors.flatMap(({ door, operations, deno, system }) => [
      `  ${door}`,
      `    tau's checks       ${operations}`,
      `    Deno's permissions ${deno}`,
      `    the system         ${system}`,
    ]),
    "",
    "What does not hold:",
    ...limits.map((limit) => `  ${limit}`),
  ];
  return lines.map((line) => `${terminalText(line)}\n`).join("");
}

function keyList(keys: MachineReport["keys"]): string {
  const has = (wanted: boolean) =>
    keys.filter(({ hasKey }) => hasKey === wanted)
      .map(({ provider }) => provider).join(" ") || "none";
  return `set: ${has(true)}; not set: ${has(false)}`;
}
