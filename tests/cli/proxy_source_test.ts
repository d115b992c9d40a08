import assert from "node:assert/strict";
import { parseCommandLine } from "../../src/cli/command_line.ts";
import { proxySource } from "../../src/host/proxy_source.ts";
import { UsageError } from "../../src/settings/usage_error.ts";

Deno.test("proxySource() is there where the environment names a proxy and a token", async () => {
  const TAU_PROXY_URL = "https://proxy.test/x";
  assert.equal(await proxySource({}), undefined);
  assert.equal(await proxySource({ TAU_PROXY_TOKEN: "t" }), undefined);
  assert.equal(await proxySource({ TAU_PROXY_URL: "" }), undefined);
  const source = await proxySource({ TAU_PROXY_URL, TAU_PROXY_TOKEN: "t" });
  assert.equal(typeof source, "function");
  await assert.rejects(proxySource({ TAU_PROXY_URL }), UsageError);
  for (const url of ["proxy.test", "ftp://x", "/x"]) {
    const env = { TAU_PROXY_URL: url, TAU_PROXY_TOKEN: "t" };
    await assert.rejects(proxySource(env), UsageError);
  }
});

Deno.test("parseCommandLine() understands tau proxy", async () => {
  const proxy = { kind: "proxy", port: 7878, host: "127.0.0.1" };
  assert.deepEqual(await parseCommandLine(["proxy"]), proxy);
  assert.deepEqual(
    await parseCommandLine(["proxy", "--port", "0", "--host=::1"]),
    { kind: "proxy", port: 0, host: "::1" },
  );
  assert.deepEqual(await parseCommandLine(["proxy", "-h"]), { kind: "help" });
  const wrong = [
    ["--port", "65536"],
    ["--port", "-1"],
    ["--port", "1e3"],
    ["--host", ""],
    ["--host", "a b"],
    ["me"],
    ["--", "me"],
    ["--keep"],
  ];
  for (const args of wrong) {
    const { kind } = await parseCommandLine(["proxy", ...args]);
    assert.equal(kind, "invalid", args.join(" "));
  }
});
