import assert from "node:assert/strict";
import { call, say } from "../support/provider_double.ts";
import { withShippedPlugin } from "../support/shipped_plugin.ts";
import { jsonLines } from "../support/tau_process.ts";

Deno.test("get_weather tells of progress, answers with data, and says what would work", async () => {
  await withShippedPlugin("get_weather.ts", {
    script: [
      say(
        "",
        call("get_weather", { city: "oslo" }),
        call("get_weather", { city: "Atlantis" }),
      ),
      say("ok"),
    ],
  }, async ({ prompt, results }) => {
    const run = await prompt();
    assert.deepEqual(results(), [
      "Oslo: -3 °C, snow",
      'Nobody knows the weather in "Atlantis"; known are Cairo, Lima, Oslo',
    ]);
    const lines = jsonLines(run).map((line) => Object(line));
    const update = lines.find(({ type }) => type === "tool_execution_update");
    assert.equal(update.partialResult.content[0].text, "Asking for oslo");
    const end = lines.find(({ type }) => type === "tool_execution_end");
    const oslo = { city: "Oslo", celsius: -3, sky: "snow" };
    assert.deepEqual(end.result.details, oslo);
    assert.deepEqual(end.result.structuredContent, oslo);
  });
});

Deno.test("get_weather asks a server that the run grants, through the host, and no other", async () => {
  const asked: string[] = [];
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request) => {
      asked.push(new URL(request.url).search);
      return Response.json({ city: "Rome", celsius: 20, sky: "rain" });
    },
  );
  const host = `127.0.0.1:${server.addr.port}`;
  const place = {
    script: [say("", call("get_weather", { city: "Rome" })), say("ok")],
  };
  const flag = ["--plugin-flag", `weather_url=http://${host}/weather`];
  await withShippedPlugin("get_weather.ts", place, async (place) => {
    await place.prompt(...flag, `--allow-net=${host}`);
    assert.deepEqual(place.results(), ["Rome: 20 °C, rain"]);
  });
  await withShippedPlugin("get_weather.ts", place, async (place) => {
    await place.prompt(...flag);
    assert.match(
      place.results()[0] ?? "",
      /does not grant the host 127\.0\.0\.1/,
    );
  });
  assert.deepEqual(asked, ["?city=Rome"]);
});

Deno.test("ssh_read reads a file through a command, and words what is wrong there", async () => {
  await withShippedPlugin("ssh_read.ts", {
    script: [
      say(
        "",
        call("ssh_read", { path: "it's here.txt", offset: 2 }),
        call("ssh_read", { path: "it's hear.txt" }),
        call("ssh_read", { path: "." }),
        call("ssh_read", { path: "$(touch made)" }),
      ),
      say("ok"),
    ],
    files: { "far/it's here.txt": "one\ntwo\n" },
  }, async ({ prompt, results, root }) => {
    // The folder is outside of what the run may read by itself.
    await prompt(
      ...["--plugin-flag", "ssh_read=sh -c"],
      ...["--plugin-flag", `ssh_folder=${root}/far`],
      ...["--sandbox", "off"],
    );
    const [text, missing, folder, hostile] = results();
    assert.equal(text, "two\n");
    assert.match(missing ?? "", /no such file; did you mean "it's here.txt"/);
    assert.match(folder ?? "", /it is a directory/);
    assert.match(hostile ?? "", /no such file/);
    assert.deepEqual(
      Array.from(Deno.readDirSync(`${root}/far`), ({ name }) => name),
      ["it's here.txt"],
    );
  });
});

Deno.test("structured_output ends the run with data, and the model is not asked again", async () => {
  const report = {
    summary: "One fault",
    findings: [{ file: "a.ts", line: 3, text: "unused" }],
  };
  await withShippedPlugin("structured_output.ts", {
    script: [say("", call("report", report))],
  }, async ({ prompt, requests }) => {
    const run = await prompt();
    assert.equal(run.code, 0, run.stderr);
    assert.equal(requests.length, 1);
    const end = jsonLines(run).map((line) => Object(line))
      .find(({ type }) => type === "tool_execution_end");
    assert.deepEqual(end.result.structuredContent, report);
  });
});

Deno.test("tool_override stands in the place of read, logs what is read, and refuses lock files", async () => {
  await withShippedPlugin("tool_override.ts", {
    script: [
      say(
        "",
        call("read", { path: "note.txt" }),
        call("read", { path: "deno.lock" }),
      ),
      say("ok"),
    ],
    files: { "work/deno.lock": "{}" },
  }, async ({ prompt, results, root }) => {
    await prompt("--session", `${root}/s.jsonl`);
    const [note, lock] = results();
    assert.equal(note, "alpha\n");
    assert.match(lock ?? "", /deno.lock is a lock file/);
    const log = (await Deno.readTextFile(`${root}/s.jsonl`)).split("\n")
      .filter((line) => line.includes(`"customType":"read_log"`))
      .map((line) => JSON.parse(line).data.path);
    assert.deepEqual(log, ["note.txt"]);
  });
});

Deno.test("bash_spawn_hook finds the project's programs and runs the setup before each command", async () => {
  await withShippedPlugin("bash_spawn_hook.ts", {
    script: [say("", call("bash", { command: 'hello "$WHO"' })), say("ok")],
    files: { "work/node_modules/.bin/hello": '#!/bin/sh\necho "hello $1"\n' },
  }, async ({ prompt, results, cwd }) => {
    await Deno.chmod(`${cwd}/node_modules/.bin/hello`, 0o755);
    await prompt("--plugin-flag", "bash_setup=WHO=tau");
    assert.match(results()[0] ?? "", /^hello tau/);
  });
});

Deno.test("inspect_text counts a file of the folder, and refuses links that lead out, pipes and bytes", async () => {
  await withShippedPlugin("inspect_text.ts", {
    script: [
      say(
        "",
        ...["note.txt", "in.txt", "out.txt", "../shared/a.txt", "../secret"]
          .map(
            (path) => call("inspect_text", { path }),
          ),
        ...["pipe", "bytes", "none"].map((path) =>
          call("inspect_text", { path })
        ),
      ),
      say("ok"),
    ],
    files: {
      "shared/a.txt": "text",
      "secret": "text",
      "work/bytes": new Uint8Array([0xff, 0xfe]),
    },
  }, async ({ prompt, results, root, cwd }) => {
    await Deno.symlink("note.txt", `${cwd}/in.txt`);
    await Deno.symlink("../shared/a.txt", `${cwd}/out.txt`);
    await new Deno.Command("mkfifo", { args: [`${cwd}/pipe`] }).output();
    // The run may read there; the tool stays in its folder all the same.
    await prompt("--allow-read", `${root}/shared`);
    const counts =
      "1 lines, 1 words, 6 bytes; the longest line has 5 characters";
    assert.deepEqual(results(), [
      counts,
      counts,
      "out.txt leads out of the working folder",
      "../shared/a.txt leads out of the working folder",
      "../secret leads out of the working folder",
      "pipe is no regular file",
      "bytes is no text in UTF-8",
      "There is no file none",
    ]);
  });
});

Deno.test("csv_columns gives what a program in another language prints, and its failures", async () => {
  await withShippedPlugin("csv_columns", {
    script: [
      say(
        "",
        call("csv_columns", { path: "a=b.csv" }),
        call("csv_columns", { path: "missing.csv" }),
      ),
      say("ok"),
    ],
    files: { "work/a=b.csv": "name,size\r\nx,3\r\ny,-1.5\r\n" },
  }, async ({ prompt, results }) => {
    await prompt();
    const [columns, missing] = results();
    assert.equal(columns, "name: 2 values\nsize: 2 values, -1.5 to 3\n");
    assert.match(missing ?? "", /Cannot describe missing\.csv: /);
  });
});
