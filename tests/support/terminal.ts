import assert from "node:assert/strict";

/** A program on a terminal of its own, driven by keys. */
export interface Terminal extends AsyncDisposable {
  /** Types text as it is. */
  type(text: string): Promise<void>;
  /** Presses a key by tmux's name, such as `Enter` or `C-c`. */
  press(...keys: string[]): Promise<void>;
  /** What is on the screen, scrolled lines included, without styles. */
  screen(): Promise<string>;
  /** Waits until the screen matches; fails with the screen. */
  waitFor(pattern: RegExp): Promise<string>;
  /** The title of the window and the paste buffers: what hostile text would change. */
  title(): Promise<string>;
  buffers(): Promise<string>;
  /** The exit code, once the program has ended. */
  exitCode(): Promise<number>;
  /** How the terminal was left, as `stty -a` says it, once the program has ended. */
  modes(): Promise<string>;
  /** Takes the terminal away from the program. */
  hangUp(): Promise<void>;
}

const PATIENCE_MS = 20_000;
const POLL_MS = 25;

/** Starts a program in a terminal emulator (tmux), with nothing of this process's environment but what it is given. */
export async function openTerminal(
  command: readonly string[],
  { cwd, env, columns = 80, rows = 24 }: {
    cwd: string;
    env: Record<string, string>;
    columns?: number;
    rows?: number;
  },
): Promise<Terminal> {
  const folder = await Deno.makeTempDir({ prefix: "tau-tmux-" });
  const status = `${folder}/status`;
  const tmux = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await new Deno.Command("tmux", {
      args: ["-S", `${folder}/socket`, "-f", "/dev/null", ...args],
      clearEnv: true,
      env: { PATH: Deno.env.get("PATH") ?? "", TERM: "xterm-256color" },
      cwd,
    }).output();
    const decoder = new TextDecoder();
    assert.equal(code, 0, decoder.decode(stderr));
    return decoder.decode(stdout);
  };
  const variables = Object.entries({ TERM: "tmux-256color", ...env })
    .map(([name, value]) => `${name}=${value}`);
  const script =
    'env -i "$@"; code=$?; stty -a >"$STATUS.modes"; echo $code >"$STATUS"; sleep 1000';
  await tmux(
    ...["new-session", "-d", "-x", String(columns), "-y", String(rows)],
    ...["-e", `STATUS=${status}`, "--"],
    ...["sh", "-c", script, "sh", ...variables, ...command],
  );
  const screen = () => tmux("capture-pane", "-p", "-J", "-S", "-", "-E", "-");
  return {
    type: async (text) => void await tmux("send-keys", "-l", "--", text),
    press: async (...keys) => void await tmux("send-keys", ...keys),
    screen,
    async waitFor(pattern) {
      const deadline = performance.now() + PATIENCE_MS;
      while (true) {
        const shown = await screen();
        if (pattern.test(shown)) return shown;
        assert(performance.now() < deadline, `no ${pattern} on:\n${shown}`);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    },
    title: async () =>
      (await tmux("display-message", "-p", "#{pane_title}")).trim(),
    buffers: () => tmux("list-buffers"),
    async exitCode() {
      const deadline = performance.now() + PATIENCE_MS;
      while (true) {
        const text = await Deno.readTextFile(status).catch(() => "");
        if (text.endsWith("\n")) return Number(text);
        assert(
          performance.now() < deadline,
          `still running:\n${await screen()}`,
        );
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    },
    modes: () => Deno.readTextFile(`${status}.modes`),
    hangUp: async () => void await tmux("respawn-pane", "-k", "sleep 1000"),
    async [Symbol.asyncDispose]() {
      await tmux("kill-server");
      await Deno.remove(folder, { recursive: true });
    },
  };
}
