import assert from "node:assert/strict";
import {
  loadRecording,
  runCheck,
  writeProject,
} from "../../../src/cli/demo/demo_project.ts";

Deno.test("writeProject() writes a project whose check fails, and the recorded edit mends it", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await writeProject(folder);
    const before = await runCheck(folder);
    assert.equal(before.passed, false);
    assert.match(before.output, /FAIL {2}newer 1\.10 1\.9/);
    const { path, edits } = await recordedEdit();
    let text = await Deno.readTextFile(`${folder}/${path}`);
    for (const { oldText, newText } of edits) {
      assert.equal(text.split(oldText).length, 2, "each place is found once");
      text = text.replace(oldText, () => newText);
    }
    await Deno.writeTextFile(`${folder}/${path}`, text);
    const after = await runCheck(folder);
    assert.deepEqual(after.passed, true, after.output);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("loadRecording() gives the prompt that the recording begins with", async () => {
  const { prompt, text } = await loadRecording();
  assert.match(prompt, /check\.sh/);
  const [header, first] = text.split("\n").map((line) => JSON.parse(line));
  assert.equal(header.type, "recording");
  assert.deepEqual(first.messages, [{ role: "user", text: prompt }]);
});

interface RecordedEdit {
  path: string;
  edits: { oldText: string; newText: string }[];
}

async function recordedEdit(): Promise<RecordedEdit> {
  const { text } = await loadRecording();
  for (const line of text.split("\n")) {
    const { answer = [] } = JSON.parse(line);
    const call = answer.find(({ toolName }: { toolName?: string }) =>
      toolName === "edit"
    );
    const args = answer.find(({ type }: { type: string }) =>
      type === "toolcall_delta"
    );
    if (call) return JSON.parse(args.delta);
  }
  throw new Error("nothing is edited in the recording");
}
