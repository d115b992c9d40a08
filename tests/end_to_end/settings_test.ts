import assert from "node:assert/strict";
import {
  call,
  type ProviderDouble,
  type RecordedRequest,
  say,
  startProviderDouble,
} from "../support/provider_double.ts";
import { atOnce } from "../support/at_once.ts";
import { putFiles } from "../support/put_files.ts";
import { lastRecord, runTau, type TauRun } from "../support/tau_process.ts";
import { inTempFolder } from "../support/temp_folder.ts";

/** A `TAU_HOME`, a working folder and a provider that is known by the settings alone. */
interface Place {
  root: string;
  cwd: string;
  home: string;
  double: ProviderDouble;
  /** Runs tau in the working folder, in text mode. */
  tau(args: string[], env?: Record<string, string>): Promise<TauRun>;
}

interface PlaceOptions {
  script: Parameters<typeof startProviderDouble>[0]["script"];
  files?: Record<string, string | Uint8Array>;
  settings?: Record<string, unknown>;
}

async function inPlace(
  { script, files = {}, settings = {} }: PlaceOptions,
  test: (place: Place) => Promise<void>,
): Promise<void> {
  await using double = startProviderDouble({
    api: "openai-completions",
    script,
  });
  await inTempFolder(async (root) => {
    const lab = {
      baseUrl: `${double.url}/`,
      api: "openai-completions",
      apiKeyEnv: "LAB_KEY",
      headers: { "x-team": "canary-header" },
      models: [{ id: "small", contextWindow: 32_768, maxTokens: 321 }],
    };
    await putFiles(root, {
      "project/work/.git/HEAD": "",
      "home/settings.json": JSON.stringify({
        defaultModel: "lab/small",
        providers: { lab },
        ...settings,
      }),
      ...files,
    });
    const place = { root, cwd: `${root}/project/work`, home: `${root}/home` };
    await test({
      ...place,
      double,
      tau: (args, env) =>
        runTau(["-p", ...args], {
          cwd: place.cwd,
          env: { TAU_HOME: place.home, LAB_KEY: "lab-key", ...env },
        }),
    });
  });
}

/** The system prompt of a request. */
function systemOf(request: RecordedRequest | undefined): string {
  return messagesOf(request).find(({ role }) => role === "system")?.text ?? "";
}

/** The text of the last message of the user. */
function promptOf(request: RecordedRequest | undefined): string {
  return messagesOf(request).findLast(({ role }) => role === "user")?.text ??
    "";
}

function messagesOf(
  request: RecordedRequest | undefined,
): { role: string; text: string }[] {
  const { messages } = JSON.parse(request?.text ?? '{"messages":[]}') as {
    messages: { role: string; content: string | null | { text?: string }[] }[];
  };
  return messages.map(({ role, content }) => ({
    role,
    text: typeof content === "string"
      ? content
      : (content ?? []).map(({ text }) => text ?? "").join(""),
  }));
}

Deno.test("tau asks a provider of the settings, with its key, headers and limits", async () => {
  await inPlace({
    script: [say("", call("bash", { command: "env" })), say("done")],
  }, async ({ tau, double }) => {
    const run = await tau(["--output-format", "stream-json", "go"]);
    assert.equal(run.code, 0, run.stderr);
    assert.equal(lastRecord(run).model, "lab/small");
    const [request] = double.requests;
    assert.equal(request?.headers["authorization"], "Bearer lab-key");
    assert.equal(request?.headers["x-team"], "canary-header");
    const body = JSON.parse(request?.text ?? "{}");
    assert.equal(body.model, "small");
    assert.equal(body.max_completion_tokens, 321);
    assert.doesNotMatch(run.stdout + run.stderr, /lab-key|canary-header/);
  });
});

Deno.test("tau --model goes before the settings, with a warning for what they do not list", async () => {
  await inPlace(
    { script: [say("one"), say("two")] },
    async ({ tau, double }) => {
      const listed = await tau(["--model", "small", "go"]);
      assert.equal(listed.code, 0, listed.stderr);
      const run = await tau(["--model", "lab/big:2", "go"]);
      assert.equal(run.code, 0, run.stderr);
      assert.match(run.stderr, /list no model "big:2" for lab; it is used as/);
      assert.deepEqual(
        double.requests.map(({ text }) => JSON.parse(text).model),
        ["small", "big:2"],
      );
      const noKey = await tau(["go"], { LAB_KEY: "" });
      assert.equal(noKey.code, 10);
      assert.match(noKey.stderr, /No API key for lab: set LAB_KEY/);
    },
  );
});

Deno.test("tau refuses settings that it cannot understand, and names the place", async () => {
  await inPlace(
    { script: [], settings: { bash: { timeoutS: "9" } } },
    async ({ tau, home }) => {
      const typed = await tau(["--output-format", "json", "go"]);
      assert.equal(typed.code, 2);
      assert.equal(lastRecord(typed).status, "usage_error");
      assert.match(
        typed.stderr,
        /Wrong setting "bash.timeoutS" in ".*\/home\/settings.json": expected number, got string/,
      );
      await Deno.writeTextFile(`${home}/settings.json`, '{\n  "tools": [}\n');
      const broken = await tau(["go"]);
      assert.equal(broken.code, 2);
      assert.match(broken.stderr, /not JSON at line 2, column 13/);
    },
  );
});

Deno.test("tau takes tools and the time of bash from the settings", async () => {
  await inPlace({
    script: [say("", call("bash", { command: "sleep 30" })), say("done")],
    settings: { tools: ["bash"], bash: { timeoutS: 0.2 } },
  }, async ({ tau, double }) => {
    const run = await tau(["go"]);
    assert.equal(run.code, 0, run.stderr);
    const { tools, messages } = JSON.parse(double.requests[1]?.text ?? "{}");
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
  }, async ({ tau, double }) => {
    const once = await tau(["go"]);
    assert.equal(once.code, 11, once.stderr);
    assert.equal(double.requests.length, 1);
    const again = await tau(["--max-retries", "1", "go"]);
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
    }, async ({ tau, double }) => {
      const run = await tau(["--model", "openai/m", "go"], {
        OPENAI_API_KEY: "k",
        OPENAI_BASE_URL: double.url,
      });
      assert.equal(run.stdout, "done\n", run.stderr);
      const last = double.requests.at(-1)?.text ?? "";
      assert.equal(last.includes("So far: much."), asksForSummary);
      assert.equal(last.includes("10500"), !asksForSummary);
    });
  });
});

const PROJECT = {
  "project/work/.tau/settings.json": '{"tools": ["ls"], "defaultModle": 1}',
  "project/work/.tau/prompts/hi.md": "Say hi to $1.",
  "project/work/.tau/skills/mine/SKILL.md":
    "---\ndescription: From the project\n---\nMine.",
};

Deno.test("tau leaves an untrusted project's files out and says so in one line", async () => {
  await inPlace(
    { script: [say("a"), say("b")], files: PROJECT },
    async ({ tau, double }) => {
      const silent = await tau(["--no-trust", "--tools", "ls", "/hi you"]);
      assert.equal(silent.stderr, "", silent.stderr);
      const run = await tau(["--tools", "ls", "/hi you"]);
      assert.match(run.stderr, /^tau: ".*\/work\/.tau" is left out[^\n]*\n$/);
      for (const request of double.requests) {
        assert.equal(promptOf(request), "/hi you");
        assert.doesNotMatch(systemOf(request), /From the project/);
      }
    },
  );
});

Deno.test("tau takes a trusted project's files: for a run, or from tau trust on", async () => {
  await inPlace(
    { script: [say("a"), say("b"), say("c")], files: PROJECT },
    async ({ tau, double, cwd, home }) => {
      const once = await tau(["--trust", "/hi you"]);
      assert.equal(once.code, 0, once.stderr);
      assert.match(once.stderr, /Unknown setting "defaultModle"/);
      const trust = (args: string[]) =>
        runTau(["trust", ...args], { cwd, env: { TAU_HOME: home } });
      const saved = await trust([]);
      assert.equal(
        saved.stdout,
        `Trusted: ${cwd}\nSaved in ${home}/trust.json\n`,
      );
      await tau(["/hi you"]);
      assert.equal((await trust(["--remove"])).code, 0);
      await tau(["/hi you"]);
      const seen = double.requests.map((request) => [
        promptOf(request),
        JSON.parse(request.text).tools.length,
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
    script: [say("a"), say("b")],
    files: {
      "home/AGENTS.md": "rule one",
      "AGENTS.md": "rule two",
      "project/CLAUDE.md": "rule three",
      "project/work/AGENTS.md": "rule four",
    },
  }, async ({ tau, double, root }) => {
    const run = await tau(["go"]);
    assert.equal(run.code, 0, run.stderr);
    const system = systemOf(double.requests[0]);
    assert.match(
      system,
      /<project_context>[^]*rule one[^]*rule two[^]*rule three[^]*rule four[^]*<\/project_context>[^]*<cwd>/,
    );
    assert(system.includes(
      `<project_instructions path="${root}/AGENTS.md">\nrule two\n</project_instructions>`,
    ));
    await tau(["--no-context-files", "go"]);
    assert.doesNotMatch(
      systemOf(double.requests[1]),
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
        const location = /<location>(.*)<\/location>/.exec(systemOf(request))
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
  }, async ({ tau, double, root }) => {
    const run = await tau(["--output-format", "json", "go"]);
    assert.equal(run.code, 0, run.stderr);
    assert.match(
      systemOf(double.requests[0]),
      /<available_skills>\n<skill>\n<name>tidy<\/name>\n<description>Tidy &lt;up&gt;</,
    );
    const results = messagesOf(double.requests[1]).filter(({ role }) =>
      role === "tool"
    );
    assert.match(results[0]?.text ?? "", /All of the skill/);
    assert.match(results[1]?.text ?? "", /outside the workspace/);
    assert.match(
      results[2]?.text ?? "",
      /outside (what this run may touch|the workspace)/,
    );
    assert.deepEqual(
      lastRecord(run).capabilities.granted.read.filter((path) =>
        path.includes("/skills")
      ),
      [`${root}/home/skills`],
    );
    await tau(["/skill:tidy", "the", "docs"]);
    assert.match(
      promptOf(double.requests[2]),
      /^<skill name="tidy" [^]*All of the skill.\n<\/skill>\n\nthe docs$/,
    );
  });
});

Deno.test("tau attaches @files, from where it was started, and images in a form that fits", async () => {
  const picture = await blankPicture(2500, 4);
  await inPlace({
    script: [say("seen")],
    files: {
      "project/work/my notes.txt": "alpha",
      "project/work/wide.png": picture,
    },
  }, async ({ tau, double, cwd }) => {
    const run = await tau(
      [
        "-C",
        "/",
        "--tools",
        "ls",
        "@my notes.txt",
        "What is",
        "@wide.png",
        "this?",
      ],
    );
    assert.equal(run.code, 0, run.stderr);
    const { messages } = JSON.parse(double.requests[0]?.text ?? "{}");
    const { content } = messages.at(-1);
    assert.equal(
      content[0].text,
      `<file name="${cwd}/my notes.txt">\nalpha\n</file>\n`,
    );
    assert.equal(content[1].text, `<file name="${cwd}/wide.png"></file>\n`);
    assert.match(content[2].image_url.url, /^data:image\/png;base64,/);
    assert.match(content[3].text, /scaled from 2500x4 to 2000x3/);
    assert.equal(content[4].text, "What is this?");
    const missing = await tau(["@nobody", "hi"]);
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /Cannot attach "@nobody": no such file/);
  });
});

Deno.test("tau --system-prompt replaces what tau says, --append-system-prompt adds to it", async () => {
  await inPlace({
    script: [say("a"), say("b")],
    files: {
      "project/work/AGENTS.md": "rule",
      "project/work/prompt.md": "You are a poet.\n",
    },
  }, async ({ tau, double, cwd }) => {
    const args = [
      "--system-prompt",
      "prompt.md",
      "--append-system-prompt",
      "Rhyme.",
    ];
    const run = await tau([...args, "go"]);
    assert.equal(run.code, 0, run.stderr);
    assert.match(
      systemOf(double.requests[0]),
      new RegExp(
        `^You are a poet.\n\n<addendum>\nRhyme.\n</addendum>\n\n<project_context>[^]*rule[^]*</project_context>\n\n<cwd>\n${cwd}\n</cwd>$`,
      ),
    );
    await tau(["--append-system-prompt", "Rhyme.", "go"]);
    assert.match(
      systemOf(double.requests[1]),
      /^You are tau[^]*<\/rules>\n\n<addendum>\nRhyme/,
    );
    const misspelt = await tau(["--system-prompt", "promt.md", "go"]);
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
