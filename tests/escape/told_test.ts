import assert from "node:assert/strict";
import { attackTest } from "../support/escape_machine.ts";
import { runAttacks } from "../support/escape_run.ts";
import { bash, type Row } from "./attack.ts";

/** The host looks for control files with the user's rights, and tells what it found: it is not to be led to a key. */
const LINKS = [
  "mkdir -p new/.git && ln -s ~ new/.git/modules",
  "ln -s ~/.local/share .config",
  "mkdir -p sub && ln -s ~/.local/share sub/.config",
  "ln -s ~/.ssh/id_ed25519 .zshrc",
  "rm -rf nested/.git/hooks && ln -s ~/.ssh nested/.git/hooks",
].join("; ");

attackTest(
  "what tau tells of control files holds no key to which somebody led it",
  async () => {
    const row: Row = {
      name: "links in the place of control files",
      door: "bash",
      attack: { name: "", wants: { reads: "home secret" } },
      attempt: { act: bash(LINKS), by: {} },
    };
    const { record, told, ws } = await runAttacks([row]);
    assert.equal(told.includes("home secret"), false);
    const paths = record.controlFiles?.changed.map(({ path }) => path) ?? [];
    assert.deepEqual(
      paths.sort(),
      [".config", ".zshrc", "nested/.git/hooks", "sub/.config"]
        .map((path) => `${ws}/${path}`),
    );
  },
);
