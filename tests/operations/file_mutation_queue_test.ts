import assert from "node:assert/strict";
import { withFileMutationQueue } from "../../src/operations/file_mutation_queue.ts";
import { inTempFolder } from "../support/temp_folder.ts";

Deno.test("withFileMutationQueue() runs changes of one file one after the other, links included", () =>
  inTempFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/a`, "");
    await Deno.symlink("a", `${folder}/alias`);
    await Deno.symlink("missing", `${folder}/dangling`);
    const pairs = [["a", "alias"], ["missing", "dangling"], ["none", "./none"]];
    for (const [one, other] of pairs) {
      const log: string[] = [];
      const gate = Promise.withResolvers<void>();
      const first = withFileMutationQueue(`${folder}/${one}`, async () => {
        log.push("first starts");
        await gate.promise;
        log.push("first ends");
      });
      const second = withFileMutationQueue(`${folder}/${other}`, () => {
        log.push("second");
        return Promise.resolve("result");
      });
      gate.resolve();
      await first;
      assert.equal(await second, "result");
      assert.deepEqual(log, ["first starts", "first ends", "second"]);
    }
  }));

const asItIs = { realPath: (path: string) => Promise.resolve(path) };

Deno.test("withFileMutationQueue() runs changes of different files side by side", async () => {
  const gate = Promise.withResolvers<void>();
  const waiting = withFileMutationQueue("/a", () => gate.promise, asItIs);
  await withFileMutationQueue("/b", async () => await gate.resolve(), asItIs);
  await waiting;
});

Deno.test("withFileMutationQueue() starts changes in the order of the calls, however slow the paths", async () => {
  const slow = Promise.withResolvers<string>();
  const log: number[] = [];
  const note = (number: number) => async () => void await log.push(number);
  const first = withFileMutationQueue("/slow", note(1), {
    realPath: () => slow.promise,
  });
  const second = withFileMutationQueue("/file", note(2), asItIs);
  // Long enough for the second to run, were it not kept waiting.
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  slow.resolve("/file");
  await Promise.all([first, second]);
  assert.deepEqual(log, [1, 2]);
});

Deno.test("withFileMutationQueue() is not held up by a change or a path that fails", async () => {
  const fail = () => Promise.reject(new Error("no"));
  const failing = withFileMutationQueue("/f", fail, asItIs);
  const pathless = withFileMutationQueue("/f", () => Promise.resolve(), {
    realPath: () => Promise.reject(new Deno.errors.PermissionDenied("no")),
  });
  const next = withFileMutationQueue(
    "/f",
    () => Promise.resolve("next"),
    asItIs,
  );
  await assert.rejects(failing, /no/);
  await assert.rejects(pathless, Deno.errors.PermissionDenied);
  assert.equal(await next, "next");
});
