import assert from "node:assert/strict";
import type { Message } from "../../src/model/message.ts";
import { readSession } from "../../src/store/read_session.ts";
import { call, say } from "./provider_double.ts";
import { inPlace } from "./tau_place.ts";

/** The longest way from what is waited for to the kill. */
const MAX_LIFE_MS = 60;
/** Calls of a run that may have begun before. */
const MAX_CALLS = 3;

/** Numbers from 0 to 1, the same ones for the same seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * One session that is killed again and again while its calls append to a
 * file, each call its own line. Fails where a call ran twice or is lost, or
 * where a request is one that a provider would refuse.
 */
export async function killAndResume(
  { seed, kills }: { seed: number; kills: number },
): Promise<void> {
  const next = random(seed);
  let calls = 0;
  /** Calls that the run which is not killed still makes: one, so that there is a file. */
  let lastCalls: number | undefined;
  const append = () =>
    call("bash", { command: `echo n${calls} >> lines` }, `n${calls++}`);
  await inPlace({
    script: Array.from({ length: 1000 }, () => () => {
      if (lastCalls === 0) return say("done");
      if (lastCalls !== undefined) {
        lastCalls--;
        return say("", append());
      }
      return next() < 0.5 ? say("", append()) : say("", append(), append());
    }),
  }, async ({ tau, during, cwd }) => {
    const args = ["-p", "--output-format", "stream-json", "--session", "s"];
    for (let kill = 0; kill < kills; kill++) {
      const begun = Math.floor(next() * (MAX_CALLS + 1));
      const lifeMs = next() * MAX_LIFE_MS;
      await during([...args, `go ${kill}`], async (run) => {
        // Its start is told before it is stored, its end is not.
        await run.printed(/"message_end","message":\{"role":"user"/);
        // On a busy machine time alone would kill all runs before their calls.
        await run.printed(
          new RegExp(`(?:"tool_execution_start"[^]*){${begun}}`),
        );
        await new Promise((resolve) => setTimeout(resolve, lifeMs));
        run.signal("SIGKILL");
        await run.ended();
      });
    }
    lastCalls = 1;
    const end = await tau([...args, "finish"]);
    assert.equal(end.code, 0, end.stderr);

    const { entries, damagedLines } = readSession(`${cwd}/s`);
    assert.equal(damagedLines, 0);
    const messages = entries.flatMap((entry) =>
      entry.type === "message" ? [entry.message as Message] : []
    );
    const prompts = messages.filter(({ role }) => role === "user");
    assert.equal(prompts.length, kills + 1);
    assertNothingLostOrRepeated(
      messages,
      (await Deno.readTextFile(`${cwd}/lines`)).trim().split("\n"),
    );
  });
}

/** Fails unless each call is stored with one result, and ran as its result says. */
function assertNothingLostOrRepeated(
  messages: readonly Message[],
  lines: readonly string[],
): void {
  assert.equal(new Set(lines).size, lines.length, "a call ran twice");
  const called = messages.flatMap((message) =>
    message.role === "assistant" && message.stopReason === "toolUse"
      ? message.content.flatMap((block) =>
        block.type === "toolCall" ? [block.id] : []
      )
      : []
  );
  const results = messages.filter((message) => message.role === "toolResult");
  assert.deepEqual(
    results.map(({ toolCallId }) => toolCallId).sort(),
    called.toSorted(),
  );
  for (const line of lines) assert(called.includes(line), `${line} is lost`);
  for (const { toolCallId, isError } of results) {
    if (!isError) assert(lines.includes(toolCallId), `${toolCallId} never ran`);
  }
  assert(results.some(({ isError }) => !isError), "nothing was let run");
}
