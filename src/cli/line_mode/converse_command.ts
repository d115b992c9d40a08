import { UsageError } from "../../settings/usage_error.ts";
import { tauHome } from "../../settings/tau_home.ts";
import { findProject, saveTrust } from "../../settings/trust.ts";
import type { Console } from "../console.ts";
import {
  CONVERSATION_OPTIONS,
  type RunFlags,
} from "../options/option_table.ts";
import { sessionOptions } from "../options/run_options.ts";
import type { Surroundings } from "../program.ts";
import type { PromptPart } from "../read_prompt.ts";
import { terminalText } from "../terminal_text.ts";
import { type KeySource, runLineMode } from "./line_mode.ts";
import { PromptHistory } from "./prompt_history.ts";

/** `tau` on a terminal: returns the exit code. Throws {@linkcode UsageError}. */
export async function converseCommand(
  { flags, prompt }: { flags: RunFlags; prompt: PromptPart[] },
  { console, env, kernel }: Surroundings,
): Promise<number> {
  const unfit = Object.keys(flags).find((name) =>
    !Object.hasOwn(CONVERSATION_OPTIONS, name)
  );
  if (unfit !== undefined) {
    throw new UsageError(
      `Option --${unfit} is for runs of one prompt: tau -p …`,
    );
  }
  if (env.TERM === "dumb") {
    throw new UsageError(
      "TERM=dumb is no terminal to hold a conversation on: tau -p runs one prompt",
    );
  }
  const keys = console.stdin;
  if (!isKeySource(keys)) throw new UsageError("stdin sends no keys; use -p");
  const home = tauHome(env);
  const attachments = prompt.flatMap((part) =>
    "file" in part ? [part.file] : []
  );
  await askForTrust(flags, { console, home });
  const { options, warnings } = await sessionOptions(flags, { env, kernel });
  for (const warning of warnings) console.warn(warning);
  const text = prompt.flatMap((part) => "text" in part ? [part.text] : [])
    .join(" ");
  return await runLineMode({
    console,
    keys,
    options,
    prompt: text === "" && attachments.length === 0
      ? undefined
      : { text, attachments },
    history: new PromptHistory(home),
    home,
  });
}

/** A project's own files count only when the user says so; asked once, before anything of them is read. */
async function askForTrust(
  { cd = ".", trust, "no-trust": noTrust }: RunFlags,
  { console, home }: { console: Console; home: string | undefined },
): Promise<void> {
  if (trust || noTrust || home === undefined) return;
  const cwd = realPath(cd);
  if (cwd === undefined || !findProject({ cwd, home }).notice) return;
  console.stdout.write(
    `This folder brings its own settings, plugins or skills for tau in ${
      terminalText(`${cwd}/.tau`)
    }.\nThey can run code and choose who gets your prompts. Trust them from now on? [y/N] `,
  );
  await console.stdout.flush();
  if (/^y(es)?$/i.test(await readLine(console))) {
    saveTrust({ cwd, home }, true);
  }
}

function realPath(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch {
    return undefined;
  }
}

async function readLine({ stdin }: Console): Promise<string> {
  const buffer = new Uint8Array(1024);
  const count = await stdin.read(buffer) ?? 0;
  return new TextDecoder().decode(buffer.subarray(0, count)).trim();
}

function isKeySource(source: object): source is KeySource {
  return "setRaw" in source;
}
