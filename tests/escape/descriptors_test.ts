import assert from "node:assert/strict";
import { attackTest } from "../support/escape_machine.ts";
import { makeEscapePlace } from "../support/escape_place.ts";
import { call, say, startProviderDouble } from "../support/provider_double.ts";
import { programOf } from "../support/tau_process.ts";

/** Reads from, writes to, and walks through what somebody else has opened. */
const ATTACK =
  "cat <&7; echo changed >&8; cat /proc/self/fd/6/.ssh/id_ed25519 2>&1";
/** Starts a program with a key, a file and a folder open, as careless programs do. */
const CARELESS = 'exec 7<~/.ssh/id_ed25519 8>>~/notes.txt 6<~; exec "$@"';

/** A program that starts a command as any program does. */
const ANY_PROGRAM = [
  ...[Deno.execPath(), "eval"],
  `const { stdout } = await new Deno.Command("bash", {
    args: ["-c", ${JSON.stringify(ATTACK)}],
  }).output();
  await Deno.stdout.write(stdout);`,
];

attackTest(
  "commands get nothing that was open in the program that started tau",
  async () => {
    await using place = await makeEscapePlace();
    const { ws, home } = place.names as { ws: string; home: string };
    await using double = startProviderDouble({
      api: "openai-completions",
      script: [say("", call("bash", { command: ATTACK })), say("done")],
    });
    const run = async (command: string[]) => {
      const { stdout } = await new Deno.Command("bash", {
        args: ["-c", CARELESS, "bash", ...command],
        cwd: ws,
        clearEnv: true,
        env: { ...place.env, OPENAI_BASE_URL: double.url },
      }).output();
      return new TextDecoder().decode(stdout);
    };
    const key = place.canaries["home secret"];
    const notes = () => Deno.readTextFile(`${home}/notes.txt`);

    assert.equal(await run(ANY_PROGRAM), `${key}${key}`);
    assert.equal(await notes(), "before\nchanged\n");

    assert.equal(await run([...programOf({}), "-p", "go"]), "done\n");
    const told = double.requests.at(-1)?.text ?? "";
    assert.match(told, /Bad file descriptor/);
    assert.equal(told.includes(key), false);
    assert.equal(await notes(), "before\nchanged\n");
  },
);
