import {
  buildApplication,
  type Command,
  type PartialApplicationConfiguration,
  run,
  text_en,
} from "@stricli/core";
import {
  describeProblem,
  describeStrangeOption,
  isStrangeOption,
  tooMuch,
} from "./argument_problem.ts";
import { invalid, type ParseContext } from "./route_parts.ts";
import {
  COMMAND_NAMES,
  type CommandName,
  type Invocation,
  OUTPUT_FORMATS,
  type OutputFormat,
} from "./invocation.ts";
import { withWholeNet } from "./permission_flags.ts";
import { runRoute } from "./run_route.ts";

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
  const command = COMMAND_NAMES.find((name) => name === head[0]);
  const words = command === undefined ? head : head.slice(1);
  const application = buildApplication(await routeOf(command), SETTINGS, {});
  await run(application, withWholeNet(words), context);
  const { invocation } = context;
  if (problems.length > 0 || !invocation) {
    return invalid(problems[0] ?? "Cannot understand these arguments");
  }
  if (invocation.kind === "run") {
    invocation.prompt.push(...literal.map((text) => ({ text })));
  } else if (invocation.kind === command && literal.length > 0) {
    return invalid(tooMuch(literal[0] as string));
  }
  return invocation;
}

const SETTINGS: PartialApplicationConfiguration = {
  name: "tau",
  scanner: {
    distanceOptions: {
      threshold: 4,
      weights: { insertion: 1, deletion: 3, substitution: 2, transposition: 0 },
    },
  },
  localization: {
    text: { ...text_en, exceptionWhileParsingArguments: describeProblem },
  },
};

/** Running a prompt waits for no command that it does not need. */
async function routeOf(
  command: CommandName | undefined,
): Promise<Command<ParseContext>> {
  if (command === undefined) return runRoute;
  const { COMMAND_ROUTES } = await import("./command_routes.ts");
  return COMMAND_ROUTES[command];
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
