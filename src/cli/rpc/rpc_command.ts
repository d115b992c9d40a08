import { ModelError } from "../../model/model_error.ts";
import { EXIT_CODES } from "../../protocol/exit_codes.ts";
import type { CommandLine } from "../options/command_table.ts";
import { sessionOptions } from "../options/run_options.ts";
import type { Surroundings } from "../program.ts";
import { StopSignals } from "../stop_signals.ts";
import { jsonLine, terminalText } from "../terminal_text.ts";
import { readCommandLines } from "./read_command_lines.ts";
import { RpcServer } from "./rpc_server.ts";

/**
 * `tau rpc`: commands on stdin, responses and events on stdout, one JSON
 * object a line. When stdin ends, or a plugin says so, what was accepted is done
 * and the program ends. Returns the exit code. Throws a `UsageError`.
 */
export async function rpcCommand(
  { given }: CommandLine<"rpc">,
  { console, env, kernel }: Surroundings,
): Promise<number> {
  const { options, warnings } = await sessionOptions(given, { env, kernel });
  for (const warning of warnings) console.warn(warning);
  const signals = new StopSignals();
  console.stdout.failed.then(() => signals.stop("stdout_closed"));
  const stopped = new Promise<"stopped">((resolve) =>
    signals.signal.addEventListener("abort", () => resolve("stopped"))
  );
  const left = Promise.withResolvers<void>();
  try {
    const server = await RpcServer.open(options, {
      send(line) {
        console.stdout.write(jsonLine(line));
        return console.stdout.backlog();
      },
      log: (line) => console.stderr.write(`${terminalText(line)}\n`),
      leave: left.resolve,
    });
    const serve = async () => {
      for await (const line of readCommandLines(console.stdin)) {
        await server.take(line);
      }
      await server.settled();
    };
    await Promise.race([
      serve(),
      left.promise.then(() => server.idle()),
      stopped,
    ]);
    await Promise.race([server.close(signals.reason), signals.gaveUp]);
    const code = signals.reason ? EXIT_CODES[signals.reason] : 0;
    return await console.settle(code, signals.signal);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    for (const line of error.message.split("\n")) console.warn(line);
    return await console.settle(EXIT_CODES.auth_failed);
  } finally {
    signals.close();
  }
}
