import { keyedProviders, proxyHandler } from "../host/proxied_model.ts";
import { EXIT_CODES } from "../protocol/exit_codes.ts";
import { UsageError } from "../settings/usage_error.ts";
import type { Console } from "./console.ts";
import type { CommandLine } from "./options/command_table.ts";
import type { Surroundings } from "./program.ts";
import { StopSignals } from "./stop_signals.ts";

/** A shorter token can be guessed, and its holder spends the owner's money. */
const MIN_TOKEN_LENGTH = 16;
const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/;

/**
 * `tau proxy`: answers the model requests of other runs with the keys of this
 * environment, until a signal comes. Returns the exit code of that signal.
 * Throws {@linkcode UsageError}.
 */
export async function proxyCommand(
  { given: { port = 7878, host = "127.0.0.1" } }: CommandLine<"proxy">,
  { console, env }: Surroundings,
): Promise<number> {
  const { token, isNew } = tokenOf(env);
  const signals = new StopSignals();
  try {
    const server = listen({ port, host, signal: signals.signal }, {
      handler: proxyHandler(token, env),
      onListen: (url) => announce(url, { console, env, host }),
    });
    if (isNew) console.stderr.write(`TAU_PROXY_TOKEN=${token}\n`);
    await Promise.race([server.finished, signals.gaveUp]);
    return await console.settle(EXIT_CODES[signals.reason ?? "internal_error"]);
  } finally {
    signals.close();
  }
}

function tokenOf(env: Record<string, string>): {
  token: string;
  isNew: boolean;
} {
  const token = env.TAU_PROXY_TOKEN;
  if (!token) return { token: newToken(), isNew: true };
  if (token.length >= MIN_TOKEN_LENGTH && /^[!-~]+$/.test(token)) {
    return { token, isNew: false };
  }
  throw new UsageError(
    `TAU_PROXY_TOKEN must have at least ${MIN_TOKEN_LENGTH} characters, ASCII and no spaces; unset it for a new one`,
  );
}

function newToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

function listen(
  { port, host, signal }: { port: number; host: string; signal: AbortSignal },
  { handler, onListen }: {
    handler: (request: Request) => Promise<Response>;
    onListen: (url: string) => void;
  },
): Deno.HttpServer {
  try {
    return Deno.serve({
      port,
      hostname: host,
      signal,
      onListen: ({ hostname, port }) => {
        onListen(
          `http://${
            hostname.includes(":") ? `[${hostname}]` : hostname
          }:${port}`,
        );
      },
    }, handler);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`Cannot listen on ${host}:${port}: ${why}`, {
      cause: error,
    });
  }
}

function announce(
  url: string,
  { console, env, host }: {
    console: Console;
    env: Record<string, string>;
    host: string;
  },
): void {
  const names = keyedProviders(env);
  console.warn(
    `proxy at ${url}, with ${
      names.length > 0 ? `keys for ${names.join(", ")}` : "no key"
    }`,
  );
  if (LOOPBACK.test(host)) return;
  console.warn(
    "other machines can reach this proxy, and the token crosses the network in the clear",
  );
}
