import { run } from "@stricli/core";
import {
  describeStrangeOption,
  isStrangeOption,
  tooMuch,
} from "./argument_problem.ts";
import { application } from "./command_routes.ts";
import { invalid, type ParseContext } from "./route_parts.ts";
import {
  type Invocation,
  OUTPUT_FORMATS,
  type OutputFormat,
} from "./invocation.ts";
import { withWholeNet } from "./permission_flags.ts";

/** What takes no words of a prompt. */
const COMMANDS: ReadonlySet<string> = new Set([
  "demo",
  "rpc",
  "proxy",
  "trust",
  "schema",
  "models",
  "plugins",
  "permissions",
  "doctor",
  "completions",
]);

/** Understands a command line. Starts and reads nothing. */
export async function parseCommandLine(
  args: readonly string[],
): Promise<Invocation> {
  const escape = args.indexOf("--");
  const head = escape === -1 ? args : args.slice(0, escape);
  const literal = escape === -1 ? [] : args.slice(escape + 1);
  const strange = head.find(isStrangeOption);
  if (strange !== undefined) return invalid(describeStrangeOption(strange));
  const problems: string[] = [];
  const context: ParseContext & { process: { exitCode?: number } } = {
    process: {
      stdout: { write: () => {} },
      stderr: { write: (text) => problems.push(text.trim()) },
    },
  };
  await run(application, withWholeNet(head), context);
  const { invocation } = context;
  if (problems.length > 0 || !invocation) {
    return invalid(problems[0] ?? "Cannot understand these arguments");
  }
  const { kind } = invocation;
  if (kind === "run") {
    invocation.prompt.push(...literal.map((text) => ({ text })));
  }
  if (COMMANDS.has(kind) && literal.length > 0) {
    return invalid(tooMuch(literal[0] as string));
  }
  return invocation;
}

/** The output format of a command line that may be wrong elsewhere. */
export function requestedFormat(args: readonly string[]): OutputFormat {
  const end = args.indexOf("--");
  const head = end === -1 ? args : args.slice(0, end);
  const at = head.findLastIndex((arg) => arg.startsWith("--output-format"));
  const value = head[at]?.split("=")[1] ??
    (at === -1 ? undefined : head[at + 1]);
  return OUTPUT_FORMATS.find((format) => format === value) ?? "text";
}
