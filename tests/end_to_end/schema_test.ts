import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { call, say } from "../support/provider_double.ts";
import { inPlace } from "../support/tau_place.ts";
import { jsonLines, runTau } from "../support/tau_process.ts";

Deno.test("tau schema describes every line that a run prints", async () => {
  const script = [
    { say: { thinking: "Hm.", text: "I look.", calls: [call("ls")] } },
    say("", call("read", { path: "no" })),
    say("Done."),
    say("Done again."),
  ];
  const [printed, run] = await inPlace(
    { script },
    ({ tau, ask }) =>
      Promise.all([
        tau(["schema"]),
        ask([
          ...["--output-format", "stream-json", "--tools", "ls,read"],
          ...["--check", "false", "--check-retries", "1", "go"],
        ]),
      ]),
  );
  assert.equal(printed.code, 0, printed.stderr);
  assert.equal(printed.stderr, "");
  assert.equal(run.code, 41, run.stderr);
  const validate = new Ajv2020({ strict: false })
    .compile(JSON.parse(printed.stdout));
  const lines = jsonLines(run);
  for (const line of lines) {
    assert(validate(line), JSON.stringify([line, validate.errors]));
  }
  const types = new Set(lines.map(({ type }) => type));
  assert(types.size > 9, [...types].join());
});

Deno.test("tau schema describes one kind of line", async () => {
  const run = await runTau(["schema", "result"]);
  const document = JSON.parse(run.stdout);
  assert.equal(document.properties.type.const, "result");
  assert(document.properties.status.enum.includes("schema_failed"));
});

Deno.test("a run without settings loads no schema builder in the host", async () => {
  const main = new URL("../../src/main.ts", import.meta.url).pathname;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", main],
  }).output();
  const { modules, roots } = JSON.parse(new TextDecoder().decode(stdout)) as {
    modules: { specifier: string; dependencies?: Dependency[] }[];
    roots: string[];
  };
  const seen = new Set<string>();
  const queue = [...roots];
  for (let next; (next = queue.pop());) {
    if (seen.has(next)) continue;
    seen.add(next);
    const { dependencies = [] } = modules.find(({ specifier }) =>
      specifier === next
    ) ?? {};
    // `tau schema` is no part of a run, nor is the check of settings of one without any.
    // The built-in tools are declared with the few builders that they need.
    if (/\/(?:schema_command|merge_settings|builtin)\.ts$/.test(next)) continue;
    for (const { code } of dependencies) if (code) queue.push(code.specifier);
  }
  assert([...seen].some((url) => url.endsWith("/host/run.ts")));
  assert.deepEqual([...seen].filter((url) => url.includes("typebox")), []);
});

interface Dependency {
  code?: { specifier: string };
}
