import type { Model } from "../model/model.ts";
import { ModelError } from "../model/model_error.ts";
import type { DeltaSource, StreamOptions } from "../model/stream.ts";
import { bodyChunks } from "./body_chunks.ts";
import { deltaResponse } from "./delta_response.ts";
import {
  parseProxyRequest,
  type ProxyRequest,
  ProxyRequestError,
} from "./parse_proxy_request.ts";

/** The model that a client asks for. */
export interface AskedModel {
  /** The provider's name, as the client wrote it. */
  provider: string;
  /** The model's id, as the client wrote it. */
  id: string;
  /** How hard it should think; not at all when absent. */
  reasoning?: StreamOptions["reasoning"];
}

/** A model as the proxy reaches it. */
export interface ProxiedModel {
  /** Its address and headers are the proxy's own. */
  model: Model;
  /** Asks it. */
  source: DeltaSource;
  /** Never gets into a response. */
  apiKey?: string;
}

/** Settings of {@linkcode createStreamProxyHandler}. */
export interface StreamProxyHandlerOptions {
  /** The token that clients must bring, compared in constant time; or what decides about a token. */
  authToken: string | ((token: string) => boolean | Promise<boolean>);
  /** Finds a model. Undefined refuses the request, as does a thrown `ModelError`, whose message the client is told. */
  resolveModel(
    asked: AskedModel,
  ): ProxiedModel | undefined | Promise<ProxiedModel | undefined>;
  /** Largest body of a request. Default 64 MiB. */
  maxBodyBytes?: number;
  /** Requests that are answered at once; more are refused with 429. Default 16. */
  maxConcurrent?: number;
  /** Longest wait for a piece of a request's body, in milliseconds. Default 30,000. */
  bodyIdleMs?: number;
}

/**
 * Serves what `streamProxy` asks for: `POST /api/stream`.
 *
 * Of a request only the names of the model, the context and a few options
 * count; address, headers and key are what `resolveModel` says. A client that
 * goes away aborts the request to the provider, and a slow one slows it down.
 * What is refused gets a status and `{ "error": "…" }`; the failure of a
 * provider is the last event of a stream. Never rejects.
 */
export function createStreamProxyHandler(
  options: StreamProxyHandlerOptions,
): (request: Request) => Promise<Response> {
  const { authToken, maxConcurrent = 16 } = options;
  const isAllowed = typeof authToken === "string"
    ? tokenCheck(authToken)
    : authToken;
  let underWay = 0;
  return async (request) => {
    try {
      checkTarget(request);
      const token = bearerToken(request);
      if (token === undefined || !await isAllowed(token)) {
        throw new Refusal(401, "Missing or wrong token");
      }
      if (underWay >= maxConcurrent) {
        throw new Refusal(429, `More than ${maxConcurrent} requests at once`);
      }
      underWay++;
      try {
        return await answer(request, { options, onEnd: () => underWay-- });
      } catch (error) {
        underWay--;
        throw error;
      }
    } catch (error) {
      return refuse(error);
    }
  };
}

const PATH = "/api/stream";
const DEFAULT_MAX_BODY_BYTES = 64 * 1024 * 1024;
const DEFAULT_BODY_IDLE_MS = 30_000;

/** A request that is not answered. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function refuse(error: unknown): Response {
  const [status, message] = explain(error);
  return Response.json({ error: message }, {
    status,
    headers: {
      ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
      ...(status === 405 ? { allow: "POST" } : {}),
    },
  });
}

function explain(error: unknown): [status: number, message: string] {
  if (error instanceof Refusal) return [error.status, error.message];
  if (error instanceof ProxyRequestError) return [400, error.message];
  if (error instanceof ModelError) return [404, error.message];
  // What else is thrown may show anything.
  return [500, "Internal error of the proxy"];
}

function checkTarget({ method, url, headers }: Request): void {
  if (new URL(url).pathname !== PATH) {
    throw new Refusal(404, `There is nothing but ${PATH} here`);
  }
  if (method !== "POST") throw new Refusal(405, "Only POST is answered");
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new Refusal(415, "The body must be application/json");
  }
}

function bearerToken({ headers }: Request): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
}

/** Compares digests, so that the time says nothing about how much of a token was right. */
function tokenCheck(expected: string): (token: string) => Promise<boolean> {
  if (expected === "") throw new TypeError("The token of a proxy is empty");
  return async (token) => {
    const wanted = await digest(expected);
    const given = await digest(token);
    return wanted.reduce((sum, byte, i) => sum | (byte ^ given[i]!), 0) === 0;
  };
}

async function digest(text: string): Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

async function readBody(
  { body, headers }: Request,
  {
    maxBodyBytes = DEFAULT_MAX_BODY_BYTES,
    bodyIdleMs = DEFAULT_BODY_IDLE_MS,
  }: StreamProxyHandlerOptions,
): Promise<string> {
  const tooLarge = new Refusal(
    413,
    `The body is larger than ${maxBodyBytes} bytes`,
  );
  if (Number(headers.get("content-length")) > maxBodyBytes) throw tooLarge;
  if (!body) throw new Refusal(400, "The body is missing");
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let total = 0;
  const limits = {
    idleMs: bodyIdleMs,
    expired: () => new Refusal(408, "The body did not arrive in time"),
  };
  for await (const chunk of bodyChunks(body, limits)) {
    total += chunk.byteLength;
    if (total > maxBodyBytes) throw tooLarge;
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  parts.push(decoder.decode());
  return parts.join("");
}

/** Asks the provider; what it says goes out as it comes. */
async function answer(
  request: Request,
  { options, onEnd }: { options: StreamProxyHandlerOptions; onEnd: () => void },
): Promise<Response> {
  const asked = parseProxyRequest(await readBody(request, options));
  const { model, source, apiKey } = await resolve(asked, options);
  const abort = new AbortController();
  const deltas = source(model, asked.context, {
    ...asked.options,
    signal: abort.signal,
    ...(apiKey ? { apiKey } : {}),
  });
  return deltaResponse(deltas, {
    secret: apiKey,
    onCancel: () => abort.abort(),
    onEnd,
  });
}

async function resolve(
  { model, options: { reasoning } }: ProxyRequest,
  { resolveModel }: StreamProxyHandlerOptions,
): Promise<ProxiedModel> {
  const proxied = await resolveModel(
    reasoning ? { ...model, reasoning } : model,
  );
  if (proxied) return proxied;
  throw new Refusal(404, `Unknown model "${model.provider}/${model.id}"`);
}
