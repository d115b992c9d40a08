import assert from "node:assert/strict";
import type { RunStatus } from "../../src/protocol/exit_codes.ts";
import { childEnvironment } from "../support/host_run.ts";
import { putFiles } from "../support/put_files.ts";
import { lastRecord, runTau } from "../support/tau_process.ts";
import { inTempFolder } from "../support/temp_folder.ts";

// An emulator of the providers that others wrote: our own double could share
// a misunderstanding with our own client. It checks no requests.
const FIXTURES =
  new URL("../fixtures/aimock/conversations.json", import.meta.url).pathname;

interface Emulator extends AsyncDisposable {
  /** Without a path. */
  url: string;
}

async function startEmulator(): Promise<Emulator> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--no-prompt", "--config", config],
      "npm:@copilotkit/aimock@1.43.0/llmock",
      ...["-p", String(port), "-f", FIXTURES],
      ...["--strict", "--validate-on-load", "--log-level", "silent"],
    ],
    env: { ...childEnvironment(), AIMOCK_STRICT_TURN_INDEX: "1" },
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  const url = `http://127.0.0.1:${port}`;
  const ended = child.status.then(({ code }) => {
    throw new Error(`the emulator ended with code ${code}`);
  });
  ended.catch(() => {});
  await Promise.race([ready(`${url}/health`), ended]);
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
    },
  };
}

async function ready(url: string): Promise<void> {
  const endMs = performance.now() + 15_000;
  while (performance.now() < endMs) {
    try {
      const response = await fetch(url);
      await response.body?.cancel();
      if (response.ok) return;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("the emulator does not listen");
}

interface Case {
  prompt: string;
  status: RunStatus;
  code: number;
  text?: string;
  toolCalls?: number;
}

const CASES: Case[] = [
  {
    prompt: "say alpha",
    status: "completed",
    code: 0,
    text: "alpha, at your service",
  },
  { prompt: "think first", status: "completed", code: 0, text: "four" },
  {
    prompt: "write a note",
    status: "completed",
    code: 0,
    text: "The note says beta.",
    toolCalls: 3,
  },
  {
    prompt: "list it",
    status: "completed",
    code: 0,
    text: "Listed.",
    toolCalls: 1,
  },
  { prompt: "no key", status: "auth_failed", code: 10 },
  { prompt: "too fast", status: "provider_unavailable", code: 11 },
  { prompt: "fall over", status: "provider_unavailable", code: 11 },
  { prompt: "break off", status: "provider_unavailable", code: 11 },
  {
    prompt: "what nobody wrote down",
    status: "provider_unavailable",
    code: 11,
  },
];

Deno.test("tau speaks with an emulator of the providers", async (t) => {
  await using emulator = await startEmulator();
  const openai = {
    OPENAI_API_KEY: "k",
    OPENAI_BASE_URL: `${emulator.url}/v1`,
  };
  const environments = {
    openai,
    anthropic: {
      ANTHROPIC_API_KEY: "k",
      ANTHROPIC_BASE_URL: emulator.url,
    },
    google: {
      GEMINI_API_KEY: "k",
      GOOGLE_BASE_URL: `${emulator.url}/v1beta`,
    },
  };
  for (const provider of ["openai", "anthropic", "google"] as const) {
    await askAll(t, { provider, env: environments[provider] });
  }
  await inTempFolder(async (home) => {
    const responses = { openai: { api: "openai-responses" } };
    await putFiles(home, {
      "settings.json": JSON.stringify({ providers: responses }),
    });
    const env = { ...openai, TAU_HOME: home };
    await askAll(t, { provider: "openai", format: "openai-responses", env });
  });
});

async function askAll(
  t: Deno.TestContext,
  { provider, format = provider, env }: {
    provider: string;
    /** Default: the name of the provider. */
    format?: string;
    env: Record<string, string>;
  },
): Promise<void> {
  for (const { prompt, status, code, text, toolCalls } of CASES) {
    await t.step(`${format}: ${prompt}`, async () => {
      const run = await runTau([
        ...["-p", "--output-format", "json", "--timeout", "20s"],
        ...["--tools", "read,bash,write,ls"],
        ...["--max-retries", "0"],
        ...["--model", `${provider}/test-model`, prompt],
      ], { env });
      const result = lastRecord(run);
      assert.equal(result.status, status, run.stderr);
      assert.equal(run.code, code);
      if (text !== undefined) assert.equal(result.text, text);
      assert.equal(result.toolCalls, toolCalls ?? 0);
      assert.equal(result.failedToolCalls, 0);
      assert.deepEqual([run.left, run.tempLeft], [[], []]);
    });
  }
}
