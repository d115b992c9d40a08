import assert from "node:assert/strict";
import { assembleMessage } from "../../src/model/assemble_message.ts";
import { deltaSourceFor } from "../../src/providers/delta_source_for.ts";
import { startProviderDouble } from "../support/provider_double.ts";
import { testModel } from "../support/recorded_stream.ts";
import { user } from "../support/transcript_builder.ts";

const API = "openai-completions";

/** What a run says of a server that repeats what it was sent, and the password of its URL. */
async function failureAt(credentials: string, repeated: string) {
  await using double = startProviderDouble({
    api: API,
    script: [({ headers }) => ({
      status: 401,
      anyRequest: true,
      body: `no: ${headers.authorization} ${repeated}`,
    })],
  });
  const baseUrl = double.url.replace("//", `//${credentials}@`);
  const model = testModel(API, { baseUrl });
  const source = await deltaSourceFor(API);
  const deltas = source(model, { messages: [user("hi")] }, {});
  const { errorMessage } = await assembleMessage(model, deltas).result();
  assert.match(double.requests[0]?.headers.authorization ?? "", /^Basic /);
  return /no: .*(?=;)/.exec(errorMessage ?? "")?.[0];
}

Deno.test("hides the credentials of a base URL that the server repeats, as they are written and as they are sent", async () => {
  const hidden = "no: Basic *** *** ***";
  const written = "pass%2Fword%C3%A4";
  assert.equal(
    await failureAt(`me:${written}`, `${written} pass/wordä`),
    hidden,
  );
  assert.equal(await failureAt("token-123", "token-123 token-123"), hidden);
});
