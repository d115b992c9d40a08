import assert from "node:assert/strict";
import {
  type ProviderDouble,
  say,
  startProviderDouble,
} from "../support/provider_double.ts";
import {
  lastRecord,
  runTau,
  type TauProcess,
  type TauRun,
  withTau,
} from "../support/tau_process.ts";

const KEY = "sk-key-of-the-proxy";
const TOKEN = "token-of-the-runner-1";

/** Lends a `tau proxy` in front of a provider, with what a run needs to use it. */
function withProxy(
  double: ProviderDouble,
  env: Record<string, string>,
  use: (
    proxy: TauProcess,
    runner: { TAU_PROXY_URL: string; TAU_PROXY_TOKEN: string },
  ) => Promise<void>,
): Promise<void> {
  const owner = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: double.url, ...env };
  return withTau(["proxy", "--port", "0"], { env: owner }, async (proxy) => {
    await proxy.printed(/proxy at .*, with keys for openai\n/, "stderr");
    if (!env.TAU_PROXY_TOKEN) {
      await proxy.printed(/TAU_PROXY_TOKEN=.+\n/, "stderr");
    }
    await use(proxy, {
      TAU_PROXY_URL: /proxy at (\S+),/.exec(proxy.stderr)?.[1] ?? "",
      TAU_PROXY_TOKEN: env.TAU_PROXY_TOKEN ??
        /^TAU_PROXY_TOKEN=(.+)$/m.exec(proxy.stderr)?.[1] ?? "",
    });
  });
}

function run(env: Record<string, string>): Promise<TauRun> {
  const args = ["-p", "--model", "openai/some-model"];
  const once = ["--max-retries", "0"];
  return runTau([...args, "--output-format", "json", ...once, "hello"], {
    env,
  });
}

Deno.test("tau proxy answers a run that has a token and no key, and keeps the key", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [say("Hello from behind.")],
  });
  await withProxy(double, {}, async (proxy, runner) => {
    const answered = await run(runner);
    assert.equal(answered.code, 0, answered.stderr);
    assert.equal(lastRecord(answered).text, "Hello from behind.");
    const [request] = double.requests;
    assert.equal(request?.headers.authorization, `Bearer ${KEY}`);
    assert(!request?.text.includes(runner.TAU_PROXY_TOKEN));

    const wrong = await run({ ...runner, TAU_PROXY_TOKEN: `${TOKEN}-wrong` });
    assert.equal(wrong.code, 10);
    assert.equal(
      lastRecord(wrong).error?.message,
      "Proxy error: Missing or wrong token",
    );
    assert.equal(double.requests.length, 1);

    proxy.signal("SIGTERM");
    const { code, stdout, stderr } = await proxy.ended();
    assert.equal(code, 143);
    assert.equal(stdout, "");
    assert(!stderr.includes(KEY));
    assert.equal(stderr.split(runner.TAU_PROXY_TOKEN).length, 2, stderr);
  });
});

Deno.test("tau proxy takes its token from the environment, and ends requests when it is interrupted", async () => {
  const arrived = Promise.withResolvers<void>();
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [() => {
      arrived.resolve();
      return { hang: true };
    }],
  });
  const env = { TAU_PROXY_TOKEN: TOKEN };
  await withProxy(double, env, async (proxy, runner) => {
    const running = run(runner);
    await arrived.promise;
    proxy.signal("SIGINT");
    const { code, stderr } = await proxy.ended();
    assert.equal(code, 130);
    assert(!stderr.includes(TOKEN));
    const cut = await running;
    assert.equal(cut.code, 11);
    assert.equal(
      lastRecord(cut).error?.message,
      "Connection closed by proxy server before the response completed",
    );
  });
});

Deno.test("tau proxy and a run behind it refuse what is of no use to them", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const taken = await runTau(["proxy", "--port", String(port)]);
  listener.close();
  assert.equal(taken.code, 2);
  assert.match(
    taken.stderr,
    /^tau: Cannot listen on 127\.0\.0\.1:\d+: .*in use.*\n$/,
  );
  const env = { TAU_PROXY_TOKEN: "short" };
  assert.equal((await runTau(["proxy", "--port", "0"], { env })).code, 2);

  const url = { TAU_PROXY_URL: "http://127.0.0.1:1" };
  const tokenless = await run(url);
  assert.equal(tokenless.code, 2);
  assert.equal(
    tokenless.stderr,
    "tau: TAU_PROXY_URL is set, TAU_PROXY_TOKEN is not\n",
  );
  const nameless = await runTau(["-p", "hello"], { env: { ...url, ...env } });
  assert.equal(nameless.code, 2);
  assert.match(nameless.stderr, /no keys to choose one by\n$/);
});
