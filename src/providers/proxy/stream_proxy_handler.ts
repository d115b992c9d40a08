import type { Model } from "../../model/model.ts";
import { ModelError } from "../../model/model_error.ts";
import type { DeltaSource, StreamOptions } from "../../model/stream.ts";
import { MAX_TIMER_MS } from "../../model/max_timer_ms.ts";
import { redactor } from "../redact.ts";
import { deltaResponse } from "./delta_response.ts";
import {
  parseProxyRequest,
  ProxyRefusal,
  type ProxyRequest,
} from "./parse_proxy_request.ts";

/** The model that a client asks for. */
export interface AskedModel {
  /** The provider's name, as the client wrote it. */
  provider: string;
  /** The model's id, as the client wrote it. */
  id: string;
  /** Its level of thinking; none when absent. */
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
  /** The token that clients must bring, compared in constant time; or a function that decides about a token. */
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
 * Serves the requests of `streamProxy`: `POST /api/stream`.
 *
 * A request brings the names of the model, the context and a few options;
 * address, headers and key come from `resolveModel`. A client that goes away
 * aborts the request to the provider, and a slow one slows it down. A refusal
 * is a status and `{ "error": "…" }`; the failure of a provider is the last
 * event of a stream. Never rejects.
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
        throw new ProxyRefusal(401, "Missing or wrong token");
      }
      if (underWay >= maxConcurrent) {
        throw new ProxyRefusal(
          429,
          `More than ${maxConcurrent} requests at once`,
        );
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
  if (error instanceof ProxyRefusal) return [error.status, error.message];
  if (error instanceof ModelError) return [404, error.message];
  // Any other error may show anything.
  return [500, "Internal error of the proxy"];
}

function checkTarget({ method, url, headers }: Request): void {
  if (new URL(url).pathname !== PATH) {
    throw new ProxyRefusal(404, `There is nothing but ${PATH} here`);
  }
  if (method !== "POST") throw new ProxyRefusal(405, "Only POST is answered");
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new ProxyRefusal(415, "The body must be application/json");
  }
}

function bearerToken({ headers }: Request): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
}

/** Compares digests, so that the time does not depend on how much of a token was right. */
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
  const tooLarge = new ProxyRefusal(
    413,
    `The body is larger than ${maxBodyBytes} bytes`,
  );
  if (Number(headers.get("content-length")) > maxBodyBytes) throw tooLarge;
  if (!body) throw new ProxyRefusal(400, "The body is missing");
  const reader = body.getReader();
  // A read that is under way then resolves, and the connection is closed.
  const stop = () => void reader.cancel().catch(() => {});
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let total = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isLate = false;
  try {
    while (true) {
      timer = setTimeout(() => {
        isLate = true;
        stop();
      }, Math.min(bodyIdleMs, MAX_TIMER_MS));
      const { done, value } = await reader.read();
      clearTimeout(timer);
      if (isLate) {
        throw new ProxyRefusal(408, "The body did not arrive in time");
      }
      if (done) break;
      total += value.byteLength;
      if (total > maxBodyBytes) throw tooLarge;
      parts.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    clearTimeout(timer);
    stop();
  }
  return parts.join("") + decoder.decode();
}

/** Asks the provider and passes its deltas on as they come. */
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
    redact: redactor(apiKey ? [apiKey] : []),
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
  throw new ProxyRefusal(404, `Unknown model "${model.provider}/${model.id}"`);
}
