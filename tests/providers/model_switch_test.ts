import assert from "node:assert/strict";
import { assembleMessage } from "../../src/model/assemble_message.ts";
import type { UserContent } from "../../src/model/content.ts";
import type { Message } from "../../src/model/message.ts";
import type { Api } from "../../src/model/model.ts";
import { deltaSourceFor } from "../../src/providers/delta_source_for.ts";
import {
  call,
  type ProviderDouble,
  type Reply,
  startProviderDouble,
} from "../support/provider_double.ts";
import { APIS, testModel } from "../support/recorded_stream.ts";
import { toolResult, user } from "../support/transcript_builder.ts";

/** Places in {@linkcode APIS}: each follows each other one once. */
const ORDER = [0, 1, 0, 2, 0, 3, 0, 1, 2, 1, 3, 1, 2, 3, 2, 3, 0];

const IMAGE: UserContent = {
  type: "image",
  mimeType: "image/png",
  data:
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
};

/** What only the model that it came from may get back. */
const SEALED: Partial<Record<Api, RegExp>> = {
  "openai-responses": /sealed-\d/,
  "anthropic-messages": /"signature":/,
  "google-generative-ai": /"thoughtSignature":/,
};

/** Two answers: one that thinks and asks for two tools, one that thinks and ends. */
function turn(api: Api, place: number): Reply[] {
  const mark = `${api} ${place}`;
  return [
    {
      say: {
        thinking: `How? ${mark}`,
        text: `Looking. ${mark}`,
        calls: [call("read", { path: "note.txt" }), call("read", {})],
      },
    },
    { say: { thinking: `So. ${mark}`, text: `Done. ${mark}` } },
  ];
}

/** Lets the model of `double` answer, as the loop does, with an image as the second call's result. */
async function answer(
  api: Api,
  { double, transcript }: { double: ProviderDouble; transcript: Message[] },
): Promise<void> {
  const model = testModel(api, {
    id: `model-of-${api}`,
    provider: api,
    baseUrl: double.url,
    reasoning: true,
  });
  const source = await deltaSourceFor(api);
  const tools = [{
    name: "read",
    description: "Reads a file",
    parameters: { type: "object", properties: { path: { type: "string" } } },
  }];
  while (true) {
    const deltas = source(
      model,
      { messages: transcript.slice(), tools },
      { apiKey: "key", reasoning: "high" },
    );
    const message = await assembleMessage(model, deltas).result();
    assert(message.stopReason !== "error", message.errorMessage);
    transcript.push(message);
    const calls = message.content.filter((block) => block.type === "toolCall");
    if (calls.length === 0) return;
    for (const [place, { id, name }] of calls.entries()) {
      const content = place === 0 ? "alpha" : [IMAGE];
      transcript.push(toolResult(id, content, { toolName: name }));
    }
  }
}

Deno.test("a conversation with thinking, calls and images goes on with a model of any other format", async () => {
  await using doubles = new AsyncDisposableStack();
  const [...started] = APIS.map((api) =>
    doubles.use(startProviderDouble({
      api,
      script: ORDER.flatMap((_, place) => turn(api, place)),
    }))
  );
  const transcript: Message[] = [];
  for (const place of ORDER) {
    transcript.push(
      user([{ type: "text", text: "What is in these?" }, IMAGE]),
    );
    await answer(APIS[place] as Api, {
      double: started[place] as ProviderDouble,
      transcript,
    });
  }
  for (const [place, { requests }] of started.entries()) {
    const api = APIS[place] as Api;
    assert.deepEqual(requests.flatMap(({ fault }) => fault ?? []), []);
    const last = requests.at(-1)?.text ?? "";
    for (const [other, sealed] of Object.entries(SEALED)) {
      assert.equal(sealed.test(last), other === api, `${other} to ${api}`);
    }
    // All that the others said in the open is there.
    for (const other of APIS) assert(last.includes(`Done. ${other} 0`), other);
  }
});

Deno.test("the order of the switches has each one of two different formats", () => {
  const switches = ORDER.slice(1).map((to, place) => `${ORDER[place]}${to}`);
  const wanted = APIS.flatMap((_, from) =>
    APIS.map((_, to) => `${from}${to}`).filter((pair) =>
      pair !== `${from}${from}`
    )
  );
  assert.deepEqual(wanted.filter((pair) => !switches.includes(pair)), []);
});
