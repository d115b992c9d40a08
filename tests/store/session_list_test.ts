import assert from "node:assert/strict";
import type { SessionHeader } from "../../src/session/session_entry.ts";
import { SessionFile } from "../../src/store/session_file.ts";
import {
  continuedSession,
  findSession,
  listSessions,
} from "../../src/store/session_list.ts";
import { newSessionPath } from "../../src/store/session_path.ts";
import { messageEntry } from "../support/session_entries.ts";
import { inTempFolder } from "../support/temp_folder.ts";
import { user } from "../support/transcript_builder.ts";

function write(
  folder: string,
  { id, cwd, text, changed }: {
    id: string;
    cwd: string;
    text: string;
    changed: number;
  },
): string {
  const header: SessionHeader = {
    type: "session",
    version: 3,
    id: `${id}-0000-4000-8000-000000000000`,
    timestamp: "2026-01-02T03:04:05.678Z",
    cwd,
  };
  const path = newSessionPath(header, folder);
  const warn = (problem: string) => assert.fail(problem);
  const file = SessionFile.create(path, { header, warn });
  file.append(messageEntry(user(text)));
  file.close();
  Deno.utimeSync(path, changed, changed);
  return path;
}

const NAME = "2026-01-02T03-04-05-678Z_aaaa1111-0000-4000-8000-000000000000";

Deno.test("newSessionPath() keeps any working folder's name in one folder", () => {
  const header = {
    type: "session",
    version: 3,
    id: "aaaa1111-0000-4000-8000-000000000000",
    timestamp: "2026-01-02T03:04:05.678Z",
  } as const;
  const pathOf = (cwd: string) => newSessionPath({ ...header, cwd }, "/s");
  assert.equal(pathOf("/a/b:c"), `/s/--a-b-c--/${NAME}.jsonl`);
  assert.equal(pathOf("C:\\a\\b"), `/s/--C--a-b--/${NAME}.jsonl`);
  assert.equal(pathOf("/../..\n"), `/s/--..-..---/${NAME}.jsonl`);
  assert.equal(pathOf("/"), `/s/----/${NAME}.jsonl`);
  for (const cwd of [`/${"x".repeat(4000)}`, `/${"ü👍".repeat(900)}`]) {
    const name = pathOf(cwd).split("/").at(-2) as string;
    assert(new TextEncoder().encode(name).length <= 255);
    assert(!name.includes("\ufffd"));
  }
});

Deno.test("listSessions() tells of sessions, the one that was written to last first", async () => {
  await inTempFolder(async (folder) => {
    assert.deepEqual(listSessions(`${folder}/none`), []);
    const one = {
      id: "aaaa1111",
      cwd: "/a",
      text: "  fix\nthe   bug ",
      changed: 100,
    };
    const two = {
      id: "bbbb2222",
      cwd: "/b",
      text: "y".repeat(50_000),
      changed: 300,
    };
    const three = { id: "cccc3333", cwd: "/a", text: "z", changed: 200 };
    const files = [one, two, three].map((session) => write(folder, session));
    // What else may lie there.
    await Deno.writeTextFile(`${folder}/note`, "x");
    await Deno.writeTextFile(
      `${folder}/--a--/${NAME.replace("aaaa", "dddd")}.jsonl`,
      "x",
    );
    await Deno.symlink(
      "/dev/zero",
      `${folder}/--a--/${NAME.replace("aaaa", "eeee")}.jsonl`,
    );
    const sessions = listSessions(folder);
    assert.deepEqual(sessions.map(({ file }) => file), [
      files[1],
      files[2],
      files[0],
    ]);
    assert.equal(sessions[2]?.firstText, "fix the bug");
    assert.equal(sessions[0]?.firstText, "y".repeat(200));
    assert.equal(sessions[0]?.changedAt, "1970-01-01T00:05:00.000Z");
  });
});

Deno.test("continuedSession() takes the latest of this folder, not of one with the same name in the list", async () => {
  await inTempFolder((folder) => {
    const mine = write(folder, {
      id: "aaaa1111",
      cwd: "/a/b",
      text: "x",
      changed: 100,
    });
    write(folder, { id: "aaaa2222", cwd: "/a/b", text: "x", changed: 50 });
    write(folder, { id: "bbbb3333", cwd: "/a-b", text: "x", changed: 300 });
    assert.equal(continuedSession("/a/b", folder), mine);
    assert.equal(continuedSession("/other", folder), undefined);
    return Promise.resolve();
  });
});

Deno.test("findSession() finds a session by the beginning of its id, in any folder", async () => {
  await inTempFolder((folder) => {
    const one = write(folder, {
      id: "aaaa1111",
      cwd: "/a",
      text: "x",
      changed: 1,
    });
    write(folder, { id: "aaaa2222", cwd: "/b", text: "x", changed: 1 });
    assert.equal(findSession("aaaa1", folder), one);
    assert.equal(
      findSession("AAAA1111-0000-4000-8000-000000000000", folder),
      one,
    );
    assert.throws(
      () => findSession("aaaa", folder),
      /2 sessions begin with "aaaa": aaaa/,
    );
    assert.throws(() => findSession("ffff", folder), /No session "ffff"/);
    for (const id of ["", "aaa", "../../x", "--a--", "aaaa*"]) {
      assert.throws(
        () => findSession(id, folder),
        id === "--a--" ? /No session/ : /not a session id/,
      );
    }
    assert.throws(() => findSession("aaaa1", undefined), /No session/);
    return Promise.resolve();
  });
});
