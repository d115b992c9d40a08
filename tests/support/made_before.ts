import type { Api } from "../../src/model/model.ts";
import {
  call,
  type ProviderDouble,
  type Reply,
  say,
  startProviderDouble,
} from "./provider_double.ts";
import { putFiles } from "./put_files.ts";
import { runTau, type TauOptions, type TauRun } from "./tau_process.ts";
import { inTempFolder } from "./temp_folder.ts";

// Runs whose recordings, sessions and rpc transcripts are kept in
// tests/fixtures/before/. They were made by the program at commit 0b98a2f, with
// `main` set to its src/main.ts, and are never made again: what users stored
// must stay readable.

/** Recordings, sessions and transcripts of an older program. */
export const BEFORE = new URL("../fixtures/before/", import.meta.url);

/** Each wire format has a recording and a session. */
export const APIS: Api[] = [
  "openai-completions",
  "openai-responses",
  "anthropic-messages",
  "google-generative-ai",
];

/** Files of the working folder. */
const FILES = {
  "note.txt": "alpha\nbeta\n",
  "src/sum.txt": "one\ntwo\n",
};

/** Options that keep the machine and later texts of the program out of requests. */
const PLAIN = [
  ...["--no-context-files", "--no-plugins", "--sandbox", "off"],
  ...[
    "--system-prompt",
    "You look after a folder.",
    "--tools",
    "read,edit,bash",
  ],
];

/** A working folder with files, and a provider in its settings. */
export interface Workplace {
  root: string;
  double: ProviderDouble;
  tau(args: string[], options?: TauOptions): Promise<TauRun>;
}

/** Lends a workplace whose model answers from a script. `main` is another program's module. */
export async function inWorkplace(
  { api, script, main }: { api: Api; script: Reply[]; main?: string },
  use: (place: Workplace) => Promise<void>,
): Promise<void> {
  await inTempFolder(async (root) => {
    await using double = startProviderDouble({ api, script });
    const models = [{ id: "thinker", reasoning: true, contextWindow: 200_000 }];
    const lab = { baseUrl: double.url, api, apiKeyEnv: "LAB_KEY", models };
    await putFiles(root, {
      "home/settings.json": JSON.stringify({ providers: { lab } }),
      ...Object.fromEntries(
        Object.entries(FILES).map(([path, text]) => [`work/${path}`, text]),
      ),
    });
    const env = { TAU_HOME: `${root}/home`, LAB_KEY: "key-of-the-lab" };
    await use({
      root,
      double,
      tau: (args, options) =>
        runTau(args, { cwd: `${root}/work`, env, main, ...options }),
    });
  });
}

const MODEL = ["--model", "lab/thinker:low"];

/** What the model does with the folder: thinks, reads two files at once, fails, edits, runs. */
const WORK: Reply[] = [
  {
    say: {
      thinking: "Both files may matter.",
      text: "I read both.",
      calls: [
        call("read", { path: "note.txt" }),
        call("read", { path: "src/sum.txt" }),
      ],
    },
  },
  say("", call("read", { path: "notes.txt" })),
  say(
    "A wrong name.",
    call("edit", {
      path: "note.txt",
      edits: [{ oldText: "beta", newText: "gamma" }],
    }),
  ),
  say("", call("bash", { command: "cat note.txt; exit 3" })),
  say("It says alpha and gamma."),
];

/** The run of a recording. */
export const recordingScript = WORK;

/** Arguments of the run that is recorded, and of the one that replays it. */
export function recordingArgs(
  way: "--record" | "--replay",
  file: string,
): string[] {
  return [
    ...["-p", "--output-format", "json", ...PLAIN, "--no-session"],
    ...(way === "--record" ? MODEL : []),
    ...[way, file, "Look at the folder"],
  ];
}

/** Arguments of the runs that make a session. */
export function sessionArgs(prompt: string, file: string): string[] {
  return [
    "-p",
    "--output-format",
    "json",
    ...PLAIN,
    ...MODEL,
    "--session",
    file,
    prompt,
  ];
}

/** Commands for `tau rpc`, one a line. */
export const RPC_COMMANDS: Record<string, unknown>[] = [
  { id: 1, type: "get_state" },
  { id: 2, type: "prompt", message: "Look at the folder" },
  { id: 3, type: "prompt", message: "And the other file?" },
  { id: 4, type: "nope" },
  { id: 5, type: "set_session_name", name: "a look" },
  { id: 6, type: "get_commands" },
];

/** Arguments of `tau rpc`. */
export const rpcArgs = ["rpc", ...PLAIN, "--no-session", ...MODEL];

/** The script of its model. */
export const rpcScript: Reply[] = [
  say("", call("read", { path: "note.txt" })),
  say("It says alpha."),
  say("", call("bash", { command: "cat src/sum.txt" })),
  say("It counts."),
];

/** A run that goes on with a session of before; its request is compared. */
export async function requestOfResumed(
  api: Api,
  main?: string,
): Promise<unknown> {
  let messages: unknown;
  await inWorkplace(
    { api, script: [say("Still done.")], main },
    async (place) => {
      const stored = await Deno.readTextFile(
        new URL(`session_${api}.jsonl`, BEFORE),
      );
      const file = `${place.root}/session.jsonl`;
      await Deno.writeTextFile(file, stored);
      const run = await place.tau(sessionArgs("And now?", file));
      const [request, ...more] = place.double.requests;
      if (
        run.code !== 0 || request === undefined || request.fault ||
        more.length > 0
      ) {
        throw new Error(`The session was not gone on with: ${run.stderr}`);
      }
      const { tools: _tools, ...body } = JSON.parse(
        request.text.replaceAll(place.root, "/home/ann"),
      );
      messages = body;
    },
  );
  return messages;
}

/** Responses and events of `tau rpc`, without what differs from run to run. */
export async function rpcTranscript(
  main?: string,
): Promise<{ responses: unknown[]; events: unknown[] }> {
  const transcript = { responses: [] as unknown[], events: [] as unknown[] };
  await inWorkplace(
    { api: "openai-completions", script: rpcScript, main },
    async ({ tau, root }) => {
      const stdin = RPC_COMMANDS.map((one) => `${JSON.stringify(one)}\n`).join(
        "",
      );
      const { stdout } = await tau(rpcArgs, { stdin });
      for (
        const line of stdout.trimEnd().replaceAll(root, "/home/ann").split("\n")
      ) {
        const value = JSON.parse(line, withoutChance);
        // How often progress is told depends on the machine.
        if (
          value.type === "message_update" ||
          value.type === "tool_execution_update"
        ) continue;
        transcript[value.type === "response" ? "responses" : "events"].push(
          value,
        );
      }
    },
  );
  return transcript;
}

/** Members that differ from run to run; the rest of a line is compared whole. */
const CHANCE = new Set([
  "timestamp",
  "durationMs",
  "sessionId",
  "capabilities",
  "sandbox",
  "toolsAdded",
  "wall_time_seconds",
]);

function withoutChance(key: string, value: unknown): unknown {
  return CHANCE.has(key) ? undefined : value;
}
