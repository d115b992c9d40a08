import type { Api } from "../../src/model/model.ts";

/** A request on its way to the model, as tau made it. */
export interface SeenRequest {
  path: string;
  // deno-lint-ignore no-explicit-any -- asserted on by the tests
  body: any;
}

/** A server between tau and the model. */
export interface ForcingProxy extends AsyncDisposable {
  /** Without a path. */
  url: string;
  requests: SeenRequest[];
}

/** What tau has no option for, and so small a model does not do by itself. */
export interface Forced {
  api: Api;
  /** The first request must be answered with a call of its tool, with these arguments. */
  call?: Record<string, string>;
}

type Body = Record<string, unknown>;

/** How an answer of the model begins that is a call: see the chat template. */
const CALL_BEGINS = "<tool_call>\n";

/** The end of a sentence or a line ends an answer: small models ramble. */
const STOPS = [".", "\n"];

const STOP_NAMES: Partial<Record<Api, string>> = {
  "anthropic-messages": "stop_sequences",
};

/**
 * Passes requests on to the server at `upstream`, and its answers back as they
 * come. It adds to bodies only what a client may say in that format: stop
 * words, and for a forced call tool choice, a schema that leaves no choice of
 * arguments, and the first characters of the answer.
 */
export function startForcingProxy(
  upstream: string,
  { api, call }: Forced,
): ForcingProxy {
  const requests: SeenRequest[] = [];
  const stop = new AbortController();
  const server = Deno.serve(
    {
      hostname: "127.0.0.1",
      port: 0,
      onListen() {},
      onError: (error) => new Response(String(error), { status: 502 }),
    },
    async (request) => {
      const { pathname } = new URL(request.url);
      const text = await request.text();
      const place = requests.push({ path: pathname, body: JSON.parse(text) });
      const body = JSON.parse(text);
      if (call && place === 1) FORCE_CALL[api]?.(body, schemaOf(call));
      else body[STOP_NAMES[api] ?? "stop"] = STOPS;
      const { status, headers, body: answer } = await fetch(
        upstream + pathname,
        {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
          signal: stop.signal,
        },
      );
      const type = headers.get("content-type") ?? "text/plain";
      return new Response(answer, {
        status,
        headers: { "content-type": type },
      });
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    requests,
    [Symbol.asyncDispose]() {
      stop.abort();
      return server.shutdown();
    },
  };
}

const FORCE_CALL: Partial<Record<Api, (body: Body, schema: Body) => void>> = {
  "openai-completions": (body, schema) => {
    body.tool_choice = "required";
    body.parallel_tool_calls = false;
    for (const { function: tool } of body.tools as { function: Body }[]) {
      tool.parameters = schema;
    }
    append(body.messages, { role: "assistant", content: CALL_BEGINS });
  },
  "anthropic-messages": (body, schema) => {
    body.tool_choice = { type: "any", disable_parallel_tool_use: true };
    for (const tool of body.tools as Body[]) tool.input_schema = schema;
    append(body.messages, { role: "assistant", content: CALL_BEGINS });
  },
  "openai-responses": (body, schema) => {
    body.tool_choice = "required";
    body.parallel_tool_calls = false;
    for (const tool of body.tools as Body[]) tool.parameters = schema;
    append(body.input, {
      type: "message",
      id: "msg_begun",
      role: "assistant",
      status: "in_progress",
      content: [{ type: "output_text", text: CALL_BEGINS, annotations: [] }],
    });
  },
};

function append(list: unknown, item: Body): void {
  (list as Body[]).push(item);
}

/** Lets these arguments pass, and no others. */
function schemaOf(call: Record<string, string>): Body {
  const values = Object.entries(call);
  return {
    type: "object",
    properties: Object.fromEntries(
      values.map(([name, value]) => [name, { type: "string", enum: [value] }]),
    ),
    required: values.map(([name]) => name),
    additionalProperties: false,
  };
}
