import assert from "node:assert/strict";
import { atOnce } from "../support/at_once.ts";
import { runTau } from "../support/tau_process.ts";

const SERVERS = {
  ollama: "ollama serve",
  lmstudio: "lms server start",
  llamacpp: "llama-server -m MODEL.gguf",
};

Deno.test("tau says where a local server was looked for, and what starts it", async () => {
  // Nobody listens there once it is closed.
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  await atOnce(Object.entries(SERVERS), async ([name, command]) => {
    const variable = `${name.toUpperCase()}_BASE_URL`;
    const run = await runTau(
      ["-p", "--max-retries", "0", "--model", `${name}/any`, "hello"],
      { env: { [variable]: `http://127.0.0.1:${port}/v1` } },
    );
    assert.equal(run.code, 11);
    assert.match(
      run.stderr,
      new RegExp(`${name} cannot be reached at 127\\.0\\.0\\.1:${port}`),
    );
    assert(
      run.stderr.includes(
        `; start it (${command}), or set ${variable} to where it is\n`,
      ),
      run.stderr,
    );
  });
});
