import { googleStream } from "./google_stream.ts";
import {
  type Answer,
  anthropicStream,
  completionsStream,
} from "./provider_answer.ts";
import { proxyStream } from "./proxy_stream.ts";
import type { FaultOptions } from "./fault_rules.ts";
import {
  findRequestFault,
  type Format,
  type SeenRequest,
} from "./request_fault.ts";
import { responsesStream } from "./responses_stream.ts";

export { call, say } from "./provider_answer.ts";
export { findRequestFault } from "./request_fault.ts";

/** How the double answers one request. */
export interface Reply {
  /** An answer, streamed in the double's format. Otherwise `body` is sent. */
  say?: Answer;
  /** Default 200. */
  status?: number;
  /** Default: the content type of an event stream, of JSON for other statuses. */
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Never answers at all. */
  hang?: boolean;
  /** Sends that much of the body, then nothing, and keeps the connection. */
  hangAfterBytes?: number;
  /** Sends that much of the body, then closes the connection. */
  cutAfterBytes?: number;
  /** One byte a write. */
  oneByteAtATime?: boolean;
  /** How the body's end is told: by its last chunk (default), or by the end of the connection alone. */
  framing?: "chunked" | "close";
  /** Answers also what a real provider would refuse. */
  anyRequest?: boolean;
}

/** A request that the double received. */
export interface RecordedRequest extends SeenRequest {
  method: string;
  path: string;
  /** The body as it was sent. */
  text: string;
  /** `performance.now()` when it had arrived. */
  timeMs: number;
  /** Why it was refused with status 400, if it was. */
  fault?: string;
}

/** A provider on this machine. */
export interface ProviderDouble extends AsyncDisposable {
  /** The base URL of a model. */
  url: string;
  requests: RecordedRequest[];
}

/** The server's side of a format. */
interface WireDouble {
  /** The path of the base URL. */
  base: string;
  /** The path of a request, as the server sees it. */
  path: RegExp;
  /** The body of an answer; the prefix makes its ids unique. */
  stream(answer: Answer, prefix: string): string;
  /** The body of a refusal. */
  refusal(message: string): object;
}

const type = "invalid_request_error";
const openai = (message: string) => ({
  error: { type, message, param: null, code: null },
});

/** The formats that the double speaks. */
export const wireDoubles: Record<Format, WireDouble> = {
  "openai-completions": {
    base: "/v1",
    path: /^\/v1\/chat\/completions$/,
    stream: completionsStream,
    refusal: openai,
  },
  "openai-responses": {
    base: "/v1",
    path: /^\/v1\/responses$/,
    stream: responsesStream,
    refusal: openai,
  },
  "anthropic-messages": {
    base: "",
    path: /^\/v1\/messages$/,
    stream: anthropicStream,
    refusal: (message) => ({ type: "error", error: { type, message } }),
  },
  "google-generative-ai": {
    base: "/v1beta",
    path: /^\/v1beta\/models\/[^/?]+:streamGenerateContent\?alt=sse$/,
    stream: googleStream,
    refusal: (message) => ({
      error: { code: 400, message, status: "INVALID_ARGUMENT" },
    }),
  },
  "tau-proxy": {
    base: "",
    path: /^\/api\/stream$/,
    stream: proxyStream,
    refusal: (error) => ({ error }),
  },
};

/** Options of {@linkcode startProviderDouble}. */
export interface ProviderDoubleOptions extends FaultOptions {
  api: Format;
  /** Answer n goes to request n; what comes after the last one is refused. A function answers all. */
  script: (Reply | Answering)[] | Answering;
}

type Answering = (request: RecordedRequest) => Reply | Promise<Reply>;

/**
 * Starts an HTTP server on loopback that answers from a script, and refuses
 * with status 400 and a reason what a real provider would refuse. It speaks
 * HTTP by hand, so that it can break off anywhere. One request a connection.
 */
export function startProviderDouble(
  options: ProviderDoubleOptions,
): ProviderDouble {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const requests: RecordedRequest[] = [];
  const connections = new Set<Deno.TcpConn>();
  const tasks = new Set<Promise<void>>();
  const accept = async () => {
    for await (const connection of listener) {
      connections.add(connection);
      const task = serve(connection, { ...options, requests }).catch(
        (error) => {
          // The other side may go away at any time; so may we.
          if (!GONE.some((type) => error instanceof type)) throw error;
        },
      ).then((keep) => {
        if (keep) return;
        connections.delete(connection);
        close(connection);
      });
      tasks.add(task);
    }
  };
  const accepting = accept();
  const { port } = listener.addr as Deno.NetAddr;
  return {
    url: `http://127.0.0.1:${port}${wireDoubles[options.api].base}`,
    requests,
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const connection of connections) close(connection);
      await accepting;
      await Promise.all(tasks);
    },
  };
}

const GONE = [
  Deno.errors.BadResource,
  Deno.errors.BrokenPipe,
  Deno.errors.ConnectionReset,
  Deno.errors.Interrupted,
];

function close(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}

/** Answers one request; true when the connection stays open in silence. */
async function serve(
  connection: Deno.TcpConn,
  options: ProviderDoubleOptions & { requests: RecordedRequest[] },
): Promise<boolean> {
  connection.setNoDelay(true);
  const request = await readRequest(connection);
  if (!request) return false;
  const { api, requests, script } = options;
  const place = requests.push(request);
  const entry = typeof script === "function" ? script : script[place - 1];
  if (!entry) {
    const why = `request ${place} is not in the script`;
    return await send(connection, refuse(api, request.fault = why));
  }
  const reply = typeof entry === "function" ? await entry(request) : entry;
  const fault = reply.anyRequest ? undefined : findPathFault(api, request) ??
    findRequestFault(api, { ...options, ...request });
  if (fault !== undefined) {
    request.fault = fault;
    return await send(connection, refuse(api, fault));
  }
  if (!reply.say) return await send(connection, reply);
  const body = wireDoubles[api].stream(reply.say, String(place));
  return await send(connection, { ...reply, body });
}

function findPathFault(
  api: Format,
  { method, path }: RecordedRequest,
): string | undefined {
  return method === "POST" && wireDoubles[api].path.test(path)
    ? undefined
    : `no such endpoint: ${method} ${path}`;
}

function refuse(api: Format, message: string): Reply {
  const body = JSON.stringify(wireDoubles[api].refusal(message));
  return { status: 400, body };
}

async function readRequest(
  connection: Deno.TcpConn,
): Promise<RecordedRequest | undefined> {
  let bytes = new Uint8Array(0);
  const more = async (): Promise<boolean> => {
    const buffer = new Uint8Array(65536);
    const count = await connection.read(buffer);
    if (count === null) return false;
    const joined = new Uint8Array(bytes.length + count);
    joined.set(bytes);
    joined.set(buffer.subarray(0, count), bytes.length);
    bytes = joined;
    return true;
  };
  let end = -1;
  while ((end = headEnd(bytes)) < 0) if (!await more()) return undefined;
  const [first = "", ...lines] = new TextDecoder()
    .decode(bytes.subarray(0, end)).split("\r\n");
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const size = end + 4 + Number(headers["content-length"] ?? 0);
  while (bytes.length < size) if (!await more()) return undefined;
  const text = new TextDecoder().decode(bytes.subarray(end + 4, size));
  const [method = "", path = ""] = first.split(" ");
  return {
    method,
    path,
    headers,
    text,
    body: parse(text),
    timeMs: performance.now(),
  };
}

/** Where the empty line after the headers begins, or -1. */
function headEnd(bytes: Uint8Array): number {
  for (let i = 0; i + 3 < bytes.length; i++) {
    if (
      bytes[i] === 13 && bytes[i + 1] === 10 && bytes[i + 2] === 13 &&
      bytes[i + 3] === 10
    ) return i;
  }
  return -1;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function send(connection: Deno.TcpConn, reply: Reply): Promise<boolean> {
  if (reply.hang) return true;
  const { status = 200, body = "" } = reply;
  const chunked = reply.framing !== "close";
  const headers: Record<string, string> = {
    "content-type": status === 200 ? "text/event-stream" : "application/json",
    connection: "close",
    ...(chunked ? { "transfer-encoding": "chunked" } : {}),
    ...reply.headers,
  };
  const head = Object.entries(headers).map(([name, value]) =>
    `${name}: ${value}\r\n`
  );
  await write(
    connection,
    text(`HTTP/1.1 ${status} Status\r\n${head.join("")}\r\n`),
  );
  const all = typeof body === "string" ? text(body) : body;
  const stop = reply.cutAfterBytes ?? reply.hangAfterBytes ?? all.length;
  const step = reply.oneByteAtATime ? 1 : Math.max(1, stop);
  for (let at = 0; at < stop; at += step) {
    const piece = all.subarray(at, Math.min(at + step, stop));
    await write(connection, chunked ? chunk(piece) : piece);
  }
  if (reply.hangAfterBytes !== undefined) return true;
  if (chunked && reply.cutAfterBytes === undefined) {
    await write(connection, text("0\r\n\r\n"));
  }
  return false;
}

function chunk(piece: Uint8Array): Uint8Array {
  const size = text(`${piece.length.toString(16)}\r\n`);
  const bytes = new Uint8Array(size.length + piece.length + 2);
  bytes.set(size);
  bytes.set(piece, size.length);
  bytes.set([13, 10], size.length + piece.length);
  return bytes;
}

async function write(
  connection: Deno.TcpConn,
  bytes: Uint8Array,
): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    at += await connection.write(bytes.subarray(at));
  }
}

function text(words: string): Uint8Array {
  return new TextEncoder().encode(words);
}
