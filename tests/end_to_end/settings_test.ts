import assert from "node:assert/strict";
import { call, say } from "../support/provider_double.ts";
import { atOnce } from "../support/at_once.ts";
import { inPlace, readRequest } from "../support/tau_place.ts";
import { lastRecord, runTau } from "../support/tau_process.ts";
import { inTempFolder } from "../support/temp_folder.ts";

Deno.test("tau asks a provider of the settings, with its key, headers and limits", async () => {
  await inPlace({
    script: [say("", call("bash", { command: "env" })), say("done")],
    lab: { headers: { "x-team": "canary-header" } },
  }, async ({ ask, requests, env }) => {
    const run = await ask(["--output-format", "stream-json", "go"]);
    assert.equal(run.code, 0, run.stderr);
    assert.equal(lastRecord(run).model, "lab/small");
    const [request] = requests;
    assert.equal(request?.headers["authorization"], `Bearer ${env.LAB_KEY}`);
    assert.equal(request?.headers["x-team"], "canary-header");
    const body = JSON.parse(request?.text ?? "{}");
    assert.equal(body.model, "small");
    assert.equal(body.max_completion_tokens, 321);
    assert.doesNotMatch(run.stdout + run.stderr, /CANARY|canary-header/);
  });
});

Deno.test("tau --model goes before the settings, with a warning for what they do not list", async () => {
  await inPlace(
    { script: [say("one"), say("two")] },
    async ({ ask, requests }) => {
      const listed = await ask(["--model", "small", "go"]);
      assert.equal(listed.code, 0, listed.stderr);
      const run = await ask(["--model", "lab/big:2", "go"]);
      assert.equal(run.code, 0, run.stderr);
      assert.match(run.stderr, /list no model "big:2" for lab; it is used as/);
      assert.deepEqual(
        requests.map(({ text }) => JSON.parse(text).model),
        ["small", "big:2"],
      );
      const noKey = await ask(["go"], { env: { LAB_KEY: "" } });
      assert.equal(noKey.code, 10);
      assert.match(noKey.stderr, /No API key for lab: set LAB_KEY/);
    },
  );
});

Deno.test("tau refuses settings that it cannot understand, and names the place", async () => {
  await inPlace(
    { script: [], settings: { bash: { timeoutS: "9" } } },
    async ({ ask, home }) => {
      const typed = await ask(["--output-format", "json", "go"]);
      assert.equal(typed.code, 2);
      assert.equal(lastRecord(typed).status, "usage_error");
      assert.match(
        typed.stderr,
        /Wrong setting "bash.timeoutS" in ".*\/home\/settings.json": expected number, got string/,
      );
      await Deno.writeTextFile(`${home}/settings.json`, '{\n  "tools": [}\n');
      const broken = await ask(["go"]);
      assert.equal(broken.code, 2);
      assert.match(broken.stderr, /not JSON at line 2, column 13/);
    },
  );
});

Deno.test("tau takes tools and the time of bash from the settings", async () => {
  await inPlace({
    script: [say("", call("bash", { command: "sleep 30" })), say("done")],
    settings: { tools: ["bash"], bash: { timeoutS: 0.2 } },
  }, async ({ ask, requests }) => {
    const run = await ask(["go"]);
    assert.equal(run.code, 0, run.stderr);
    const { tools, messages } = JSON.parse(requests[1]?.text ?? "{}");
    assert.deepEqual(
      tools.map((tool: { function: { name: string } }) => tool.function.name),
      ["bash"],
    );
    assert.match(JSON.stringify(messages.at(-1)), /timed out/i);
    assert(run.durationMs < 15_000);
  });
});

Deno.test("tau takes the number of retries from the settings, and --max-retries before it", async () => {
  const failure = {
    status: 500,
    headers: { "retry-after-ms": "1" },
    body: "{}",
  };
  await inPlace({
    script: [failure, failure, say("done")],
    settings: { retry: { maxRetries: 0 } },
  }, async ({ ask, requests }) => {
    const once = await ask(["go"]);
    assert.equal(once.code, 11, once.stderr);
    assert.equal(requests.length, 1);
    const again = await ask(["--max-retries", "1", "go"]);
    assert.equal(again.code, 0, again.stderr);
  });
});

Deno.test("tau shortens a conversation as the settings say", async () => {
  const cases = [
    { compaction: {}, asksForSummary: true },
    { compaction: { reserveTokens: 1 }, asksForSummary: false },
    { compaction: { enabled: false }, asksForSummary: false },
  ];
  await atOnce(cases, async ({ compaction, asksForSummary }) => {
    const work = (n: number) =>
      say("", call("bash", { command: `seq ${n}0000 ${n}1000` }));
    await inPlace({
      script: [
        work(1),
        work(2),
        ...asksForSummary ? [say("So far: much.")] : [],
        say("done"),
      ],
      settings: {
        providers: { openai: { models: [{ id: "m", contextWindow: 2500 }] } },
        compaction,
      },
    }, async ({ ask, requests }) => {
      const run = await ask(["--model", "openai/m", "go"]);
      assert.equal(run.stdout, "done\n", run.stderr);
      const last = requests.at(-1)?.text ?? "";
      assert.equal(last.includes("So far: much."), asksForSummary);
      assert.equal(last.includes("10500"), !asksForSummary);
    });
  });
});

const PROJECT = {
  "work/.tau/settings.json": '{"tools": ["ls"], "defaultModle": 1}',
  "work/.tau/prompts/hi.md": "Say hi to $1.",
  "work/.tau/skills/mine/SKILL.md":
    "---\ndescription: From the project\n---\nMine.",
};

Deno.test("tau leaves an untrusted project's files out and says so in one line", async () => {
  await inPlace(
    { script: [say("a"), say("b")], files: PROJECT },
    async ({ ask, requests }) => {
      const silent = await ask(["--no-trust", "--tools", "ls", "/hi you"]);
      assert.equal(silent.stderr, "", silent.stderr);
      const run = await ask(["--tools", "ls", "/hi you"]);
      assert.match(run.stderr, /^tau: ".*\/work\/.tau" is left out[^\n]*\n$/);
      for (const request of requests) {
        assert.equal(readRequest(request).last("user"), "/hi you");
        assert.doesNotMatch(readRequest(request).system, /From the project/);
      }
    },
  );
});

Deno.test("tau takes a trusted project's files: for a run, or from tau trust on", async () => {
  await inPlace(
    { script: [say("a"), say("b"), say("c")], files: PROJECT },
    async ({ tau, ask, requests, cwd, home }) => {
      const once = await ask(["--trust", "/hi you"]);
      assert.equal(once.code, 0, once.stderr);
      assert.match(once.stderr, /Unknown setting "defaultModle"/);
      const trust = (args: string[]) => tau(["trust", ...args]);
      const saved = await trust([]);
      assert.equal(
        saved.stdout,
        `Trusted: ${cwd}\nSaved in ${home}/trust.json\n`,
      );
      await ask(["/hi you"]);
      assert.equal((await trust(["--remove"])).code, 0);
      await ask(["/hi you"]);
      const seen = requests.map((request) => [
        readRequest(request).last("user"),
        readRequest(request).tools.length,
      ]);
      assert.deepEqual(seen, [
        ["Say hi to you.", 1],
        ["Say hi to you.", 1],
        ["/hi you", 4],
      ]);
    },
  );
});

Deno.test("tau tells the model of AGENTS.md files from the outermost to the innermost", async () => {
  await inPlace({
    work: "project/work",
    script: [say("a"), say("b")],
    files: {
      "project/work/.git/HEAD": "",
      "home/AGENTS.md": "rule one",
      "AGENTS.md": "rule two",
      "project/CLAUDE.md": "rule three",
      "project/work/AGENTS.md": "rule four",
    },
  }, async ({ ask, request, root }) => {
    const run = await ask(["go"]);
    assert.equal(run.code, 0, run.stderr);
    const system = request(0).system;
    assert.match(
      system,
      /<project_context>[^]*rule one[^]*rule two[^]*rule three[^]*rule four[^]*<\/project_context>[^]*<cwd>/,
    );
    assert(system.includes(
      `<project_instructions path="${root}/AGENTS.md">\nrule two\n</project_instructions>`,
    ));
    await ask(["--no-context-files", "go"]);
    assert.doesNotMatch(
      request(1).system,
      /rule (one|two|three|four)|project_context/,
    );
  });
});

Deno.test("tau offers skills of the user, which the model can read and not write", async () => {
  const path = "home/skills/tidy/SKILL.md";
  await inPlace({
    files: {
      [path]: "---\nname: tidy\ndescription: Tidy <up>\n---\nAll of the skill.",
      "home/secret": "hidden",
    },
    script: [
      (request) => {
        const location =
          /<location>(.*)<\/location>/.exec(readRequest(request).system)
            ?.[1] ?? "";
        const secret = location.replace(/skills.*/, "secret");
        return say(
          "",
          call("read", { path: location }),
          call("write", { path: location, content: "" }),
          call("read", { path: secret }),
        );
      },
      say("done"),
      say("by name"),
    ],
  }, async ({ ask, request, root }) => {
    const run = await ask(["--output-format", "json", "go"]);
    assert.equal(run.code, 0, run.stderr);
    assert.match(
      request(0).system,
      /<available_skills>\n<skill>\n<name>tidy<\/name>\n<description>Tidy &lt;up&gt;</,
    );
    const results = request(1).said("tool");
    assert.match(results[0] ?? "", /All of the skill/);
    assert.match(results[1] ?? "", /outside the workspace/);
    assert.match(
      results[2] ?? "",
      /outside (what this run may touch|the workspace)/,
    );
    assert.deepEqual(
      lastRecord(run).capabilities.granted.read.filter((path) =>
        path.includes("/skills")
      ),
      [`${root}/home/skills`],
    );
    await ask(["/skill:tidy", "the", "docs"]);
    assert.match(
      request(2).last("user"),
      /^<skill name="tidy" [^]*All of the skill.\n<\/skill>\n\nthe docs$/,
    );
  });
});

Deno.test("tau attaches @files, from where it was started, and images in a form that fits", async () => {
  const picture = await blankPicture(2500, 4);
  await inPlace({
    script: [say("seen")],
    files: {
      "work/my notes.txt": "alpha",
      "work/wide.png": picture,
    },
  }, async ({ ask, requests, cwd }) => {
    const run = await ask([
      "-C",
      "/",
      "--tools",
      "ls",
      "@my notes.txt",
      "What is",
      "@wide.png",
      "this?",
    ]);
    assert.equal(run.code, 0, run.stderr);
    const { messages } = JSON.parse(requests[0]?.text ?? "{}");
    const { content } = messages.at(-1);
    assert.equal(
      content[0].text,
      `<file name="${cwd}/my notes.txt">\nalpha\n</file>\n`,
    );
    assert.equal(content[1].text, `<file name="${cwd}/wide.png"></file>\n`);
    assert.match(content[2].image_url.url, /^data:image\/png;base64,/);
    assert.match(content[3].text, /scaled from 2500x4 to 2000x3/);
    assert.equal(content[4].text, "What is this?");
    const missing = await ask(["@nobody", "hi"]);
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /Cannot attach "@nobody": no such file/);
  });
});

Deno.test("tau --system-prompt replaces what tau says, --append-system-prompt adds to it", async () => {
  await inPlace({
    script: [say("a"), say("b")],
    files: {
      "work/AGENTS.md": "rule",
      "work/prompt.md": "You are a poet.\n",
    },
  }, async ({ ask, request, cwd }) => {
    const args = [
      "--system-prompt",
      "prompt.md",
      "--append-system-prompt",
      "Rhyme.",
    ];
    const run = await ask([...args, "go"]);
    assert.equal(run.code, 0, run.stderr);
    assert.match(
      request(0).system,
      new RegExp(
        `^You are a poet.\n\n<addendum>\nRhyme.\n</addendum>\n\n<project_context>[^]*rule[^]*</project_context>\n\n<cwd>\n${cwd}\n</cwd>$`,
      ),
    );
    await ask(["--append-system-prompt", "Rhyme.", "go"]);
    assert.match(
      request(1).system,
      /^You are tau[^]*<\/rules>\n\n<addendum>\nRhyme/,
    );
    const misspelt = await ask(["--system-prompt", "promt.md", "go"]);
    assert.equal(misspelt.code, 2);
  });
});

async function blankPicture(
  width: number,
  height: number,
): Promise<Uint8Array> {
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext("bitmaprenderer")?.transferFromImageBitmap(
    await createImageBitmap(new ImageData(width, height)),
  );
  const blob = await canvas.convertToBlob({ type: "image/png" });
  return new Uint8Array(await blob.arrayBuffer());
}

Deno.test("tau trust names a folder without what a terminal would act on", async () => {
  await inTempFolder(async (root) => {
    const cwd = `${root}/a\x1b[2J\u202e`;
    await Deno.mkdir(cwd);
    const { code, stdout } = await runTau(["trust"], {
      cwd,
      env: { TAU_HOME: `${root}/home` },
    });
    assert.equal(code, 0);
    assert.match(stdout, /^Trusted: .*\/a␛\[2J\\u\{202e\}\n/);
  });
});
