import { examineMachine, type MachineReport } from "../host/examine_machine.ts";
import type { CommandLine } from "./options/command_table.ts";
import { readConfiguration } from "./options/run_options.ts";
import type { Surroundings } from "./program.ts";
import { columns, jsonLine, terminalText } from "./terminal_text.ts";

/** `tau doctor`: what runs find on this machine. Returns 1 where they lack something, else 0. */
export async function doctorCommand(
  { given: { json } }: CommandLine<"doctor">,
  { console, env, kernel }: Surroundings,
): Promise<number> {
  const { options, warnings } = await readConfiguration({}, { env });
  for (const warning of warnings) console.warn(warning);
  const report = await examineMachine({ ...options, env, kernel });
  console.stdout.write(json ? jsonLine(report) : text(report));
  const isFine = report.findings.every((finding) => finding.isFine);
  return await console.settle(isFine ? 0 : 1);
}

function text({ findings, doors, limits, keys }: MachineReport): string {
  return terminalText(
    columns([
      ...findings.map(({ name, isFine, detail }) => [
        isFine ? "ok" : "no",
        name,
        detail,
      ]),
      ["", "keys", keyList(keys)],
    ]) +
      "\nWhat enforces each limit:\n" +
      columns(doors.flatMap(({ door, operations, deno, system }) => [
        [`  ${door}`],
        ["    tau's checks", operations],
        ["    Deno's permissions", deno],
        ["    the system", system],
      ])) +
      "\nNot enforced on this machine:\n" +
      limits.map((limit) => `  ${limit}\n`).join(""),
  );
}

function keyList(keys: MachineReport["keys"]): string {
  const has = (wanted: boolean) =>
    keys.filter(({ hasKey }) => hasKey === wanted)
      .map(({ provider }) => provider).join(" ") || "none";
  return `set: ${has(true)}; not set: ${has(false)}`;
}
