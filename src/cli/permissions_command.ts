import {
  type EffectivePermissions,
  effectivePermissions,
} from "../host/effective_permissions.ts";
import type { CommandLine } from "./options/command_table.ts";
import { readConfiguration } from "./options/run_options.ts";
import type { Surroundings } from "./program.ts";
import { jsonLine, terminalText } from "./terminal_text.ts";

/**
 * `tau permissions`: what a run with these options may touch, and what came of
 * trying it. Returns the exit code; throws a `UsageError` for options that no
 * run would take.
 */
export async function permissionsCommand(
  { given: { json, ...flags } }: CommandLine<"permissions">,
  { console, env, kernel }: Surroundings,
): Promise<number> {
  const { options, warnings } = await readConfiguration(flags, { env });
  for (const warning of warnings) console.warn(warning);
  const found = await effectivePermissions({
    ...options,
    prompt: "",
    updates: false,
    kernel,
    env,
  }, { log: (line) => console.stderr.write(`${terminalText(line)}\n`) });
  console.stdout.write(json ? jsonLine(found) : permissionsText(found));
  return await console.settle(0);
}

/** Lines for people about what a run may touch, safe for a terminal. */
export function permissionsText(found: EffectivePermissions): string {
  const { sandbox, granted, rules } = found;
  const isConfined = sandbox.state === "confined";
  const lines = [
    row("profile", granted.profile),
    row(
      "commands",
      isConfined ? "confined" : `not confined: ${sandbox.reason}`,
    ),
    row("network", network(granted.net)),
    ...list("file tools read", granted.read),
    ...list("file tools write", granted.write),
    ...isConfined
      ? [
        row(
          "commands read",
          found.commandsReadHome
            ? "the system and the home folder, but for what is hidden"
            : "the system, not the home folder",
        ),
        ...list("commands write", granted.commandsWrite),
      ]
      : [],
    ...list(isConfined ? "hidden" : "refused", found.secrets),
    ...list("never written", found.protectedPaths),
    row("", `and in any folder: ${found.protectedNames.join(" ")}`),
    row("variables", granted.environment.join(" ")),
    ...list(
      "rules",
      rules.map(({ effect, text, source }) => `${effect} ${text} (${source})`),
    ),
    "",
    ...tried(sandbox),
  ];
  return lines.map((line) => `${terminalText(line)}\n`).join("");
}

function network(net: EffectivePermissions["granted"]["net"]): string {
  if (typeof net === "string") return net === "all" ? "all of it" : "none";
  return `none; plugins may send requests to ${net.join(" ")} through tau`;
}

const NAME_WIDTH = 18;

function row(name: string, value: string): string {
  return `${name.padEnd(NAME_WIDTH)}${value}`.trimEnd();
}

function list(name: string, values: readonly string[]): string[] {
  const [first = "nothing", ...rest] = values;
  return [row(name, first), ...rest.map((value) => row("", value))];
}

function tried({ probes }: EffectivePermissions["sandbox"]): string[] {
  if (!probes) return ["Nothing was tried: the kernel did not answer"];
  const rings = [
    ["file tools", probes.operations],
    ["kernel", probes.deno],
    ["commands", probes.system],
  ] as const;
  const width = 11;
  return [
    row(
      "tried",
      ["read", "write", "connect"].map((word) => word.padEnd(width)).join(""),
    ),
    ...rings.map(([name, { read, write, connect }]) =>
      row(
        `  ${name}`,
        [read, write, connect].map((one) => one.padEnd(width)).join(""),
      )
    ),
  ];
}
