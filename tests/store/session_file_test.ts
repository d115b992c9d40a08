import assert from "node:assert/strict";
import type { AgentMessage } from "../../src/agent/agent_message.ts";
import type { Message } from "../../src/model/message.ts";
import { isMessage } from "../../src/protocol/checks.ts";
import { openingMessages } from "../../src/session/opening_messages.ts";
import type {
  SessionEntry,
  SessionHeader,
} from "../../src/session/session_entry.ts";
import { SessionProjection } from "../../src/session/session_projection.ts";
import { readSession, SessionError } from "../../src/store/read_session.ts";
import { removeSession, SessionFile } from "../../src/store/session_file.ts";
import { assertSendable, testModel } from "../support/scripted_model.ts";
import { messageEntry } from "../support/session_entries.ts";
import { inTempFolder } from "../support/temp_folder.ts";
import {
  assistant,
  toolCall,
  toolResult,
  user,
} from "../support/transcript_builder.ts";

const HEADER: SessionHeader = {
  type: "session",
  version: 3,
  id: "0f0e0d0c-0000-4000-8000-000000000000",
  timestamp: "2026-01-02T03:04:05.678Z",
  cwd: "/work",
};
const NEW_HEADER = { ...HEADER, id: "11111111-0000-4000-8000-000000000000" };
const PROMPT = { role: "system", content: "rules", timestamp: 0 } as const;

function fail(problem: string): never {
  throw new Error(problem);
}

function create(path: string, warn: (problem: string) => void = fail) {
  return SessionFile.create(path, { header: HEADER, warn });
}

function open(path: string, warn: (problem: string) => void = fail) {
  return SessionFile.open(path, { newHeader: NEW_HEADER, warn });
}

/** A session of one turn with two calls. */
function writeTurn(path: string): void {
  const file = create(path);
  const messages = [
    PROMPT,
    user("größer? 👍"),
    assistant(testModel, [toolCall("k1", "ls"), toolCall("k2", "ls")]),
    toolResult("k1", "ls"),
    toolResult("k2", "ls"),
    assistant(testModel, ["done"]),
  ];
  for (const message of messages) file.append(messageEntry(message));
  file.close();
}

function idsOf(entries: readonly SessionEntry[]): string[] {
  return entries.map(({ id }) => id);
}

Deno.test("SessionFile writes nothing before the user has spoken, and then every entry at once", async () => {
  await inTempFolder(async (folder) => {
    const path = `${folder}/a/b/s.jsonl`;
    const file = create(path);
    file.append({ type: "model_change", provider: "p", modelId: "m" });
    file.append(messageEntry(PROMPT));
    assert.deepEqual([...Deno.readDirSync(folder)], []);
    assert.deepEqual(file.report(), { stored: false });

    file.append(messageEntry(user("hi")));
    const { header, entries } = readSession(path);
    assert.deepEqual(header, HEADER);
    assert.deepEqual(entries.map(({ type }) => type), [
      "model_change",
      "message",
      "message",
    ]);
    assert.deepEqual(entries.map(({ parentId }) => parentId), [
      null,
      ...idsOf(entries).slice(0, 2),
    ]);
    for (const id of idsOf(entries)) assert.match(id, /^[0-9a-f]{8}$/);
    assert.deepEqual(file.report(), { file: path, stored: true });
    file.close();

    const { mode } = await Deno.stat(path);
    assert.equal((mode ?? 0) & 0o777, 0o600);
    for (const parent of ["a", "a/b"]) {
      const { mode } = await Deno.stat(`${folder}/${parent}`);
      assert.equal((mode ?? 0) & 0o777, 0o700);
    }
  });
});

Deno.test("SessionFile opens what a crash left at any byte, keeps all whole entries, and goes on", async () => {
  await inTempFolder(async (folder) => {
    const whole = `${folder}/whole.jsonl`;
    writeTurn(whole);
    const bytes = await Deno.readFile(whole);
    const all = idsOf(readSession(whole).entries);
    for (let length = 0; length <= bytes.length; length++) {
      // A file of its own: a child that another test starts just now holds
      // the lock of the one before until it has become its program.
      const path = `${folder}/${length}.jsonl`;
      Deno.writeFileSync(path, bytes.subarray(0, length));
      const text = new TextDecoder().decode(bytes.subarray(0, length + 1));
      const kept = Math.max(0, text.split("\n").length - 2);
      const file = open(path);
      assert.deepEqual(idsOf(file.entries), all.slice(0, kept), `${length}`);

      const { messages } = new SessionProjection(file.entries);
      const opening = [...openingMessages(messages, PROMPT), user("go on")];
      for (const message of opening) file.append(messageEntry(message));
      file.close();

      const { entries, damagedLines } = readSession(path);
      assert.equal(damagedLines, 0);
      assert.deepEqual(idsOf(entries).slice(0, kept), all.slice(0, kept));
      assert.equal(entries.length, kept + opening.length);
      const said = new SessionProjection(entries).messages.filter(
        isMessageOfModel,
      );
      assertSendable({ messages: said });
    }
  });
});

function isMessageOfModel(message: AgentMessage): message is Message {
  return message.role !== "system" && isMessage(message);
}

Deno.test("SessionFile takes line ends of Windows and a byte order mark", async () => {
  await inTempFolder(async (folder) => {
    const path = `${folder}/s.jsonl`;
    writeTurn(path);
    const text = await Deno.readTextFile(path);
    const expected = readSession(path).entries;
    await Deno.writeTextFile(path, `\ufeff${text.replaceAll("\n", "\r\n")}`);
    const file = open(path);
    assert.deepEqual(file.entries, expected);
    file.append(messageEntry(user("more")));
    file.close();
    const { entries, damagedLines } = readSession(path);
    assert.equal(entries.length, expected.length + 1);
    assert.equal(damagedLines, 0);
  });
});

Deno.test("SessionFile leaves damaged lines out and says how many there are", async () => {
  await inTempFolder(async (folder) => {
    const path = `${folder}/s.jsonl`;
    writeTurn(path);
    const lines = (await Deno.readTextFile(path)).split("\n");
    const entry = JSON.parse(lines[2] as string);
    lines.splice(
      2,
      1,
      "{half",
      "[]",
      "null",
      '{"type":"message","id":"x"}',
      JSON.stringify({ ...entry, message: { role: "user", content: [null] } }),
      '{"__proto__":{"type":"message"}}',
    );
    await Deno.writeTextFile(path, lines.join("\n"));
    const warnings: string[] = [];
    const file = open(path, (warning) => warnings.push(warning));
    file.close();
    assert.equal(file.entries.length, 5);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] as string, /^6 damaged lines of the session/);
  });
});

Deno.test("SessionFile keeps entries of a kind that it does not know", async () => {
  await inTempFolder(async (folder) => {
    const path = `${folder}/s.jsonl`;
    writeTurn(path);
    const line =
      '{"type":"later_kind","id":"ffffffff","parentId":null,"timestamp":"x"}\n';
    await Deno.writeTextFile(path, line, { append: true });
    const file = open(path);
    file.append(messageEntry(user("more")));
    file.close();
    const { entries } = readSession(path);
    assert.equal(entries.at(-1)?.parentId, "ffffffff");
  });
});

Deno.test("SessionFile.open() refuses what is no session and leaves it as it is", async () => {
  await inTempFolder(async (folder) => {
    const path = `${folder}/notes.txt`;
    for (
      const text of ["my notes", "my notes\n", "{}\n", '{"type":"session"}\n']
    ) {
      await Deno.writeTextFile(path, text);
      assert.throws(() => open(path), SessionError);
      assert.equal(await Deno.readTextFile(path), text);
    }
    assert.throws(() => open(folder), /Cannot read the session .*: not a file/);
    assert.throws(() => open(`${folder}/none`), /no such file/);
    await new Deno.Command("mkfifo", { args: [`${folder}/pipe`] }).output();
    assert.throws(() => open(`${folder}/pipe`), /not a file/);
  });
});

Deno.test("SessionFile.open() names the version of a session that it does not know", async () => {
  await inTempFolder(async (folder) => {
    const path = `${folder}/s.jsonl`;
    for (const end of ["", "\n", '\n{"type":"new_kind"}\n']) {
      const header = JSON.stringify({ ...NEW_HEADER, version: 4 });
      await Deno.writeTextFile(path, header + end);
      assert.throws(() => open(path), /it is of version 4, and this tau knows/);
      assert.equal(await Deno.readTextFile(path), header + end);
    }
  });
});

Deno.test("SessionFile.openOrCreate() refuses the second of two that begin a session", async () => {
  await inTempFolder((folder) => {
    const path = `${folder}/new/s.jsonl`;
    const options = { newHeader: NEW_HEADER, warn: fail };
    const first = SessionFile.openOrCreate(path, options);
    assert.throws(
      () => SessionFile.openOrCreate(path, options),
      /in use by another run/,
    );
    first.append(messageEntry(user("hello")));
    first.close();
    const again = SessionFile.openOrCreate(path, options);
    assert.equal(again.entries.length, 1);
    assert.equal(again.header.id, first.header.id);
    again.close();
    return Promise.resolve();
  });
});

Deno.test("SessionFile is open once at a time", async () => {
  await inTempFolder((folder) => {
    const path = `${folder}/s.jsonl`;
    const first = create(path);
    first.append(messageEntry(user("left")));
    assert.throws(() => open(path), /in use by another run/);
    assert.throws(() => removeSession(path), /in use by another run/);
    first.close();
    const second = open(path);
    assert.equal(second.entries.length, 1);
    second.close();
    removeSession(path);
    assert.throws(() => Deno.statSync(path), Deno.errors.NotFound);
    return Promise.resolve();
  });
});

Deno.test("SessionFile warns once where it cannot write, and writes all when it can again", async () => {
  await inTempFolder(async (folder) => {
    const blocker = `${folder}/home`;
    await Deno.writeTextFile(blocker, "");
    const warnings: string[] = [];
    const path = `${blocker}/s.jsonl`;
    const file = create(path, (warning) => warnings.push(warning));
    file.append(messageEntry(user("one")));
    file.append(messageEntry(assistant(testModel, ["two"])));
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] as string, /^Cannot store the session in /);
    assert.deepEqual(file.report(), { stored: false });

    await Deno.remove(blocker);
    file.flush();
    assert.deepEqual(file.report(), { file: path, stored: true });
    file.close();
    assert.equal(readSession(path).entries.length, 2);
  });
});

Deno.test("SessionFile.create() copies entries into a fork", async () => {
  await inTempFolder((folder) => {
    const path = `${folder}/s.jsonl`;
    writeTurn(path);
    const copied = readSession(path);
    const { entries } = copied;
    const copy = `${folder}/copy.jsonl`;
    const file = SessionFile.create(copy, {
      header: { ...NEW_HEADER, parentSession: path },
      copied,
      warn: fail,
    });
    file.append(messageEntry(user("aside")));
    file.close();
    const forked = readSession(copy);
    assert.equal(forked.header?.parentSession, path);
    assert.deepEqual(forked.entries.slice(0, -1), entries);
    assert.equal(forked.entries.at(-1)?.parentId, entries.at(-1)?.id);
    assert.deepEqual(readSession(path).entries, entries);
    return Promise.resolve();
  });
});
