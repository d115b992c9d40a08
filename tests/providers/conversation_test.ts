import assert from "node:assert/strict";
import { assembleMessage } from "../../src/model/assemble_message.ts";
import { type Message, textOf } from "../../src/model/message.ts";
import type { Api } from "../../src/model/model.ts";
import { deltaSourceFor } from "../../src/providers/delta_source_for.ts";
import { call, say, startProviderDouble } from "../support/provider_double.ts";
import type { Reply } from "../support/provider_double.ts";
import { APIS, testModel } from "../support/recorded_stream.ts";
import {
  toolResult,
  transcriptLines,
  user,
} from "../support/transcript_builder.ts";

/** Runs the prompts against a script as the loop does: each call gets a result that repeats its arguments. */
async function converse(
  api: Api,
  { prompts, script }: { prompts: string[]; script: Reply[] },
): Promise<{ transcript: Message[]; faults: (string | undefined)[] }> {
  await using double = startProviderDouble({ api, script });
  const model = testModel(api, { baseUrl: double.url });
  const source = await deltaSourceFor(api);
  const transcript: Message[] = [];
  for (const prompt of prompts) {
    transcript.push(user(prompt));
    while (true) {
      const deltas = source(model, { messages: transcript.slice() }, {
        apiKey: "key",
      });
      const message = await assembleMessage(model, deltas).result();
      transcript.push(message);
      if (message.stopReason !== "toolUse") break;
      for (const block of message.content) {
        if (block.type !== "toolCall") continue;
        transcript.push(toolResult(block.id, JSON.stringify(block.arguments)));
      }
    }
  }
  return {
    transcript,
    faults: double.requests.map((request) => request.fault),
  };
}

for (const api of APIS) {
  Deno.test(`${api}: a provider that repeats an id gets unique ids, each with its own result`, async () => {
    const { transcript, faults } = await converse(api, {
      prompts: ["go"],
      script: [
        say(
          "",
          call("bash", { command: "A" }, "same"),
          call("bash", { command: "B" }, "same"),
        ),
        say("", call("bash", { command: "C" }, "same")),
        say("done"),
      ],
    });
    assert.deepEqual(faults, [undefined, undefined, undefined]);
    assert.deepEqual(
      transcriptLines(
        transcript.map((message) =>
          message.role === "user" ? { role: "user", content: [] } : message
        ),
      ),
      [
        "user: ",
        "assistant: bash#same | bash#same2",
        'result same: {"command":"A"}',
        'result same2: {"command":"B"}',
        "assistant: bash#same3",
        'result same3: {"command":"C"}',
        "assistant: done",
      ],
    );
  });

  Deno.test(`${api}: a call without arguments runs with {} and is replayed so`, async () => {
    const { transcript, faults } = await converse(api, {
      prompts: ["go"],
      script: [say("", call("ls")), say("done")],
    });
    assert.deepEqual(faults, [undefined, undefined]);
    assert.equal(textOf(transcript[2]?.content ?? ""), "{}");
    assert.equal(textOf(transcript.at(-1)?.content ?? ""), "done");
  });

  Deno.test(`${api}: answers that said nothing leave a history that is accepted`, async () => {
    const { transcript, faults } = await converse(api, {
      prompts: ["first", "second", "third"],
      script: [{ body: "" }, say(" \n"), say("fine")],
    });
    assert.deepEqual(faults, [undefined, undefined, undefined]);
    assert.equal(textOf(transcript.at(-1)?.content ?? ""), "fine");
  });
}
