import assert from "node:assert/strict";
import {
  readSession,
  type StoredSession,
} from "../../src/store/read_session.ts";
import { listSessions } from "../../src/store/session_list.ts";
import type { ProviderDouble } from "./provider_double.ts";
import {
  runTau,
  type TauProcess,
  type TauRun,
  withTau,
} from "./tau_process.ts";
import { inTempFolder } from "./temp_folder.ts";

/** A working folder, and a home whose sessions are looked at. */
export interface SessionFolder {
  cwd: string;
  home: string;
  env: Record<string, string>;
  /** `tau` with these arguments, here. */
  tau(...args: string[]): Promise<TauRun>;
  /** The same, while it runs. */
  during<Value>(
    args: string[],
    use: (tau: TauProcess) => Promise<Value>,
  ): Promise<Value>;
  /** Paths of all stored sessions, the latest first. */
  files(): string[];
  /** The only session; fails where a line of it is damaged or torn. */
  only(): StoredSession & { path: string };
}

/** Lends a folder whose model is the double. */
export async function inSessionFolder(
  double: ProviderDouble,
  use: (folder: SessionFolder) => Promise<void>,
): Promise<void> {
  await inTempFolder(async (folder) => {
    const cwd = `${folder}/work`;
    const home = `${folder}/home`;
    await Deno.mkdir(cwd);
    const env = {
      OPENAI_API_KEY: "sk-CANARY",
      OPENAI_BASE_URL: double.url,
      TAU_HOME: home,
    };
    const files = () =>
      listSessions(`${home}/sessions`).map(({ file }) => file);
    await use({
      cwd,
      home,
      env,
      tau: (...args) => runTau(args, { cwd, env }),
      during: (args, use) => withTau(args, { cwd, env }, use),
      files,
      only() {
        const [path, ...others] = files();
        assert(path !== undefined);
        assert.deepEqual(others, []);
        const stored = readSession(path);
        assert.equal(stored.damagedLines, 0);
        return { ...stored, path };
      },
    });
  });
}
