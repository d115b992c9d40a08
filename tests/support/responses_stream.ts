import { type Answer, entries, pieces, stopOf } from "./provider_answer.ts";

/** The stream of an answer as OpenAI's responses format sends it. `prefix` makes ids unique. */
export function responsesStream(answer: Answer, prefix: string): string {
  const events: { type: string }[] = [];
  const output: object[] = [];
  const add = (type: string, fields: object) => {
    const sequence_number = events.length;
    events.push({ type, sequence_number, ...fields } as { type: string });
  };
  const response = (status: string, fields: object = {}) => ({
    response: {
      id: `resp_${prefix}`,
      object: "response",
      created_at: 1764400000,
      status,
      error: null,
      incomplete_details: null,
      model: "double",
      output: [...output],
      usage: null,
      ...fields,
    },
  });
  /** Adds an item that grows, from what is the same at its start and its end. */
  const item = (
    same: { type: string; id: string },
    { empty, whole, grow }: {
      empty: object;
      whole: object;
      grow(place: { item_id: string; output_index: number }): void;
    },
  ) => {
    const output_index = output.length;
    const start = { ...same, ...empty, status: "in_progress" };
    add("response.output_item.added", { output_index, item: start });
    grow({ item_id: same.id, output_index });
    const end = { ...same, ...whole, status: "completed" };
    add("response.output_item.done", { output_index, item: end });
    output.push(end);
  };
  add("response.created", response("in_progress"));
  add("response.in_progress", response("in_progress"));
  const { thinking, text } = answer;
  if (thinking) {
    const part = { type: "summary_text", text: thinking };
    const encrypted_content = `sealed-${prefix}`;
    item({ id: `rs_${prefix}`, type: "reasoning" }, {
      empty: { summary: [] },
      whole: { summary: [part], encrypted_content },
      grow: (where) => {
        const place = { ...where, summary_index: 0 };
        add("response.reasoning_summary_part.added", {
          ...place,
          part: { ...part, text: "" },
        });
        for (const delta of pieces(thinking)) {
          add("response.reasoning_summary_text.delta", { ...place, delta });
        }
        add("response.reasoning_summary_text.done", {
          ...place,
          text: thinking,
        });
        add("response.reasoning_summary_part.done", { ...place, part });
      },
    });
  }
  if (text) {
    const part = { type: "output_text", text, annotations: [], logprobs: [] };
    item({ id: `msg_${prefix}`, type: "message" }, {
      empty: { role: "assistant", content: [] },
      whole: { role: "assistant", content: [part] },
      grow: (where) => {
        const place = { ...where, content_index: 0 };
        const empty = { ...part, text: "" };
        add("response.content_part.added", { ...place, part: empty });
        for (const delta of pieces(text)) {
          add("response.output_text.delta", { ...place, delta, logprobs: [] });
        }
        add("response.output_text.done", { ...place, text, logprobs: [] });
        add("response.content_part.done", { ...place, part });
      },
    });
  }
  for (const [i, { id, name, arguments: args }] of entries(answer)) {
    const call_id = id ?? `call_${prefix}_${i}`;
    const json = JSON.stringify(args);
    item({ id: `fc_${prefix}_${i}`, type: "function_call" }, {
      empty: { call_id, name, arguments: "" },
      whole: { call_id, name, arguments: json },
      grow: (place) => {
        for (const delta of pieces(json)) {
          add("response.function_call_arguments.delta", { ...place, delta });
        }
        add("response.function_call_arguments.done", {
          ...place,
          name,
          arguments: json,
        });
      },
    });
  }
  const { input, output: made } = answer.usage ?? { input: 10, output: 5 };
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: made,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + made,
  };
  if (stopOf(answer) === "length") {
    const incomplete_details = { reason: "max_output_tokens" };
    add(
      "response.incomplete",
      response("incomplete", { usage, incomplete_details }),
    );
  } else {
    add("response.completed", response("completed", { usage }));
  }
  return events
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
}
