import type { Api } from "../../src/model/model.ts";
import {
  parseProxyRequest,
  ProxyRefusal,
} from "../../src/providers/proxy/parse_proxy_request.ts";
import { checkAnthropic } from "./anthropic_fault.ts";
import {
  checkCharacters,
  Fault,
  type FaultOptions,
  isObject,
  isText,
  type Json,
  need,
} from "./fault_rules.ts";
import { checkGoogle } from "./google_fault.ts";
import { checkCompletions, checkResponses } from "./openai_fault.ts";

/** A wire format, that of tau's own proxy included. */
export type Format = Api | "tau-proxy";

/** A request as a server sees it. Header names are in lower case. */
export interface SeenRequest {
  headers: Record<string, string>;
  /** Parsed JSON. */
  body: unknown;
}

/** The rules of each format, and the headers that it wants. */
const RULES: Record<
  Format,
  { check(body: Json, options: FaultOptions): void; headers?: string[] }
> = {
  "openai-completions": { check: checkCompletions },
  "openai-responses": { check: checkResponses },
  "anthropic-messages": {
    check: checkAnthropic,
    headers: ["x-api-key", "anthropic-version"],
  },
  "google-generative-ai": { check: checkGoogle, headers: ["x-goog-api-key"] },
  "tau-proxy": { check: checkProxy },
};

/**
 * Why the real provider would refuse a request, or undefined. Stricter than
 * any single server: it unites the rules of several.
 */
export function findRequestFault(
  api: Format,
  { body, headers, ...options }: SeenRequest & FaultOptions,
): string | undefined {
  try {
    need(isObject(body), "the body is not a JSON object");
    checkCharacters(body);
    const rules = RULES[api];
    for (const name of rules.headers ?? []) {
      need(headers[name], `header ${name} is missing`);
    }
    // Google has the model in the path.
    if (api !== "google-generative-ai" && api !== "tau-proxy") {
      need(isText(body.model), "model: must be a string that is not empty");
      need(body.stream === true, "stream: must be true");
    }
    rules.check(body, options);
    return undefined;
  } catch (error) {
    if (error instanceof Fault || error instanceof ProxyRefusal) {
      return error.message;
    }
    throw error;
  }
}

/** The proxy's own check; fields that it drops must not be there at all. */
function checkProxy(body: Json): void {
  const unknown = Object.keys(body)
    .filter((name) => !["model", "context", "options"].includes(name));
  need(unknown.length === 0, `unknown fields: ${unknown}`);
  parseProxyRequest(JSON.stringify(body));
}
