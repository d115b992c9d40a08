import { createSocket } from "node:dgram";
import { type Listener, LISTENERS } from "../escape/attack.ts";
import { otherAddress } from "./needs.ts";

/** What a shell needs until it waits, on a busy machine. */
const MAX_START_MS = 5000;

/** A process outside the run; its arguments are a secret. */
export class Victim {
  readonly #secret: string;
  readonly #cwd: string;
  readonly #children: Deno.ChildProcess[] = [];

  constructor(secret: string, cwd: string) {
    this.#secret = secret;
    this.#cwd = cwd;
  }

  get pid(): number {
    return this.#children.at(-1)?.pid ?? 0;
  }

  /** It waits to be told something. From the moment in which it is killed it does not, though it takes a while to be gone. */
  get isAlive(): boolean {
    try {
      const stat = Deno.readTextFileSync(`/proc/${this.pid}/stat`);
      return /\) S /.test(stat);
    } catch {
      return false;
    }
  }

  ensure(): void {
    if (this.#children.length > 0 && this.isAlive) return;
    const child = new Deno.Command("bash", {
      args: ["-c", "read -r line; exit", this.#secret],
      cwd: this.#cwd,
      stdin: "piped",
      stdout: "null",
      stderr: "null",
    }).spawn();
    this.#children.push(child);
    const endMs = performance.now() + MAX_START_MS;
    while (!this.isAlive) {
      if (performance.now() > endMs) throw new Error("the victim never waits");
    }
  }

  async end(): Promise<void> {
    for (const child of this.#children) {
      try {
        child.kill("SIGKILL");
      } catch {
        // Somebody did it.
      }
      await child.status;
      await child.stdin.abort().catch(() => {});
    }
  }
}

/** Counts who comes, and answers nobody. */
export class Listeners {
  readonly reached = Object.fromEntries(
    LISTENERS.map((name) => [name, 0]),
  ) as Record<Listener, number>;
  readonly names: Record<string, string> = {};
  readonly #open: { close(): void }[] = [];
  readonly #tasks: Promise<void>[] = [];

  constructor({ ws, run, tag }: { ws: string; run: string; tag: string }) {
    this.names.tcp = this.#listen("tcp", { hostname: "127.0.0.1", port: 0 });
    this.names.tcp6 = this.#tryListen("tcp6", { hostname: "::1", port: 0 });
    const other = otherAddress();
    this.names.address = other ?? "";
    this.names.other = other === undefined
      ? ""
      : this.#tryListen("other address", { hostname: other, port: 0 });
    this.#listenUnix("socket file", `${ws}/host.sock`);
    this.#listenUnix("runtime socket", `${run}/bus`);
    this.#listenUnix("abstract socket", `\0tau-escape-${tag}`);
  }

  async close(): Promise<void> {
    for (const one of this.#open) {
      try {
        one.close();
      } catch {
        // The other side was quicker.
      }
    }
    await Promise.all(this.#tasks);
  }

  #tryListen(name: Listener, options: Deno.TcpListenOptions): string {
    try {
      return this.#listen(name, options);
    } catch {
      return "";
    }
  }

  #listen(name: Listener, options: Deno.TcpListenOptions): string {
    const listener = Deno.listen(options);
    this.#accept(name, listener);
    return String((listener.addr as Deno.NetAddr).port);
  }

  #listenUnix(name: Listener, path: string): void {
    this.#accept(name, Deno.listen({ transport: "unix", path }));
  }

  #accept(
    name: Listener,
    listener: AsyncIterable<Deno.Conn> & { close(): void },
  ): void {
    this.#open.push(listener);
    this.#tasks.push((async () => {
      for await (const connection of listener) {
        this.reached[name]++;
        connection.close();
      }
    })());
  }

  async listenUdp(): Promise<void> {
    const socket = createSocket("udp4");
    socket.on("message", () => this.reached.udp++);
    await new Promise<void>((resolve) =>
      socket.bind(0, "127.0.0.1", () => resolve())
    );
    this.names.udp = String(socket.address().port);
    this.#open.push(socket);
  }
}
