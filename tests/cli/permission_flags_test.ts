import assert from "node:assert/strict";
import { parseCommandLine } from "../../src/cli/command_line.ts";

async function flagsOf(...args: string[]): Promise<Record<string, unknown>> {
  const invocation = await parseCommandLine(["-p", ...args]);
  assert(invocation.kind === "run", JSON.stringify(invocation));
  return {
    ...invocation.flags,
    prompt: invocation.prompt,
  };
}

Deno.test("parseCommandLine() takes a bare --allow-net for the whole network, and no word for its value", async () => {
  const bare = await flagsOf("--allow-net", "go");
  assert.equal(bare["allow-net"], "all");
  assert.deepEqual(bare.prompt, [{ text: "go" }]);
  const hosts = await flagsOf("--allow-net=A.com, *.b.org:8080", "go");
  assert.deepEqual(hosts["allow-net"], ["a.com", "*.b.org:8080"]);
  const others = await flagsOf("--allow-net=[::1]:80,db_1:5432,a.com.", "go");
  assert.deepEqual(others["allow-net"], ["[::1]:80", "db_1:5432", "a.com."]);
  const wrongs = ["", "a b", "http://a.com", "a.com,", "*", "::1"];
  for (const wrong of [...wrongs, "a.com:0", "a.com:65536"]) {
    const { kind } = await parseCommandLine([`--allow-net=${wrong}`, "go"]);
    assert.equal(kind, wrong === "*" ? "run" : "invalid", wrong);
  }
  const none = await parseCommandLine(["--allow-net=", "go"]);
  assert.match(JSON.stringify(none), /such as --allow-net=example\.com/);
});

Deno.test("parseCommandLine() collects folders and variables that are given more than once", async () => {
  const flags = await flagsOf(
    ...["--add-dir", "a", "--add-dir", "b", "--allow-read", "c"],
    ...["--allow-write", "d", "--pass-env", "A,B", "--pass-env", "C", "go"],
  );
  assert.deepEqual(flags["add-dir"], ["a", "b"]);
  assert.deepEqual(flags["allow-read"], ["c"]);
  assert.deepEqual(flags["allow-write"], ["d"]);
  assert.deepEqual(flags["pass-env"], [["A", "B"], ["C"]]);
  assert.deepEqual(flags.prompt, [{ text: "go" }]);
});

Deno.test("parseCommandLine() knows tau permissions with the options of a run, and tau doctor", async () => {
  const permissions = await parseCommandLine(
    ["permissions", "--profile", "strict", "--json", "-C", "x"],
  );
  assert(permissions.kind === "permissions");
  assert.equal(permissions.json, true);
  assert.equal(permissions.flags.profile, "strict");
  assert.equal(permissions.flags.cd, "x");
  assert.deepEqual(await parseCommandLine(["doctor"]), {
    kind: "doctor",
    json: false,
  });
  for (const line of [["doctor", "now"], ["permissions", "--", "x"]]) {
    assert.equal((await parseCommandLine(line)).kind, "invalid");
  }
});
