import type {
  EntryContent,
  SessionEntry,
  SessionHeader,
} from "../../src/session/session_entry.ts";
import { SessionFile } from "../../src/store/session_file.ts";
import { testModel } from "../support/scripted_model.ts";
import {
  assistant,
  toolCall,
  toolResult,
  user,
} from "../support/transcript_builder.ts";
import { leastOf, runTau } from "./child.ts";
import { encodeBody, serveBodies, textAnswer } from "./completions_server.ts";

const BYTES = 20_000_000;
const RUNS = 5;
/** Messages that a summary leaves. */
const KEPT = 40;
/** Wide enough that nothing is summarised. */
const SETTINGS = {
  providers: {
    openai: { models: [{ id: "bench", contextWindow: 100_000_000 }] },
  },
};

/** Milliseconds that it takes to go on with a session of 20 MB. */
export interface ResumeCost {
  /** Opening and reading its file. */
  openMs: number;
  /** From the start of the process to the arrival of a request with all of it. */
  wholeMs: number;
  /** The same where a summary stands for all but the end. */
  summarisedMs: number;
}

/** Measures what it costs to go on with a long session. */
export async function measureResume(main: URL): Promise<ResumeCost> {
  const folder = await Deno.makeTempDir();
  const body = encodeBody(textAnswer("ok"));
  const server = serveBodies(() => body);
  try {
    const measure = async (contents: EntryContent[]) => {
      const text = sessionText(contents);
      const path = `${folder}/session.jsonl`;
      return await leastOf(RUNS, async () => {
        await Deno.writeTextFile(path, text);
        server.arrivalsMs.length = 0;
        const { startMs } = await runTau(main, {
          ...server,
          args: ["--session", path],
          settings: SETTINGS,
        });
        return (server.arrivalsMs[0] ?? NaN) - startMs;
      });
    };
    const contents = conversation();
    const wholeMs = await measure(contents);
    const openMs = await leastOf(
      RUNS,
      () => Promise.resolve(openingMs(`${folder}/session.jsonl`)),
    );
    const summary: EntryContent = {
      type: "compaction",
      summary: "So far: much.",
      firstKeptEntryId: idOf(contents.length - KEPT),
      tokensBefore: 5_000_000,
    };
    const summarisedMs = await measure([...contents, summary]);
    return { openMs, wholeMs, summarisedMs };
  } finally {
    server.close();
    await Deno.remove(folder, { recursive: true });
  }
}

function openingMs(path: string): number {
  const startMs = performance.now();
  const session = SessionFile.open(path, {
    newHeader: HEADER,
    warn: (problem) => {
      throw new Error(problem);
    },
  });
  const ms = performance.now() - startMs;
  session.close();
  return ms;
}

const HEADER: SessionHeader = {
  type: "session",
  version: 3,
  id: "0f0e0d0c-0000-4000-8000-000000000000",
  timestamp: "2026-01-02T03:04:05.678Z",
  cwd: "/work",
};

/** Reads of files of 8 KB, one after the other. */
function conversation(): EntryContent[] {
  const contents: EntryContent[] = [message(user("Look at everything."))];
  for (let bytes = 0, n = 0; bytes < BYTES; n++) {
    const lines = Array.from(
      { length: 160 },
      (_, line) => `const line${line} = "the \"text\" of file ${n}, ${line}";`,
    );
    const result = toolResult(`call_${n}`, lines.join("\n"), {
      toolName: "read",
    });
    const call = toolCall(`call_${n}`, "read", { path: `src/file${n}.ts` });
    const both = [
      message(assistant(testModel, ["I look.", call])),
      message(result),
    ];
    contents.push(...both);
    bytes += JSON.stringify(both).length;
  }
  return [...contents, message(assistant(testModel, ["Done."]))];
}

function message(
  message: Extract<EntryContent, { type: "message" }>["message"],
): EntryContent {
  return { type: "message", message };
}

function sessionText(contents: readonly EntryContent[]): string {
  const entries = contents.map((content, at): SessionEntry => ({
    ...content,
    id: idOf(at),
    parentId: at === 0 ? null : idOf(at - 1),
    timestamp: HEADER.timestamp,
  }));
  return [HEADER, ...entries].map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}

function idOf(at: number): string {
  return at.toString(16).padStart(8, "0");
}
