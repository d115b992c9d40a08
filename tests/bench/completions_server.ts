/** One answer of a Chat Completions server, as its events. */
export type Answer = object[];

/** An answer of text alone. */
export function textAnswer(...pieces: string[]): Answer {
  return [
    ...pieces.map((content) => ({
      choices: [{ index: 0, delta: { content } }],
    })),
    { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  ];
}

/** An answer that calls one tool. */
export function callAnswer(id: string, name: string, args: object): Answer {
  const call = {
    index: 0,
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  };
  return [
    { choices: [{ index: 0, delta: { tool_calls: [call] } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
  ];
}

/** The body of an answer: one HTTP chunk an event. */
export function encodeBody(answer: Answer): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const events = [...answer.map((event) => JSON.stringify(event)), "[DONE]"];
  const chunks = events.map((json) => {
    const data = `data: ${json}\n\n`;
    return `${encoder.encode(data).length.toString(16)}\r\n${data}\r\n`;
  });
  return encoder.encode(`${chunks.join("")}0\r\n\r\n`);
}

/**
 * A server that answers request n with body n and says when it arrived. It
 * writes bytes itself, so that it costs as little as it can.
 */
export function serveBodies(
  bodies: (request: number) => Uint8Array<ArrayBuffer>,
): { baseUrl: string; arrivalsMs: number[]; close(): void } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const arrivalsMs: number[] = [];
  (async () => {
    for await (const connection of listener) {
      answerAll(connection).catch(() => {});
    }
  })();

  async function answerAll(connection: Deno.TcpConn): Promise<void> {
    using _ = connection;
    for await (const _request of readRequests(connection)) {
      arrivalsMs.push(performance.now());
      const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n" +
        "transfer-encoding: chunked\r\n\r\n";
      const body = bodies(arrivalsMs.length - 1);
      const bytes = new Uint8Array(head.length + body.length);
      bytes.set(new TextEncoder().encode(head));
      bytes.set(body, head.length);
      for (let at = 0; at < bytes.length;) {
        at += await connection.write(bytes.subarray(at));
      }
    }
  }
  return {
    baseUrl: `http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}/v1`,
    arrivalsMs,
    close: () => listener.close(),
  };
}

async function* readRequests(connection: Deno.TcpConn): AsyncIterable<void> {
  const buffer = new Uint8Array(256 * 1024);
  const decoder = new TextDecoder("latin1");
  let head = "";
  /** Bytes of the body that are not here yet. */
  let missing = 0;
  while (true) {
    const count = await connection.read(buffer);
    if (count === null) return;
    if (missing > 0) {
      missing -= count;
    } else {
      head += decoder.decode(buffer.subarray(0, count));
      const headEnd = head.indexOf("\r\n\r\n");
      if (headEnd === -1) continue;
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      missing = length - (head.length - headEnd - 4);
      head = "";
    }
    if (missing <= 0) yield;
  }
}
