import assert from "node:assert/strict";
import type { BashOperations } from "../../src/operations/bash_operations.ts";
import { createLocalBashOperations } from "../../src/operations/local_shell_operations.ts";
import { killMarkedProcesses } from "../../src/sandbox/marked_processes.ts";
import { withoutUndefined } from "../../src/model/without_undefined.ts";
import {
  type BashToolOptions,
  createBashTool,
  createBashToolDefinition,
} from "../../src/tools/factories.ts";
import { inTempFolder } from "../support/temp_folder.ts";
import { outcomeOf, type ToolOutcome } from "../support/tool_outcome.ts";

const operations = createLocalBashOperations({
  environment: {
    PATH: Deno.env.get("PATH") ?? "",
    HOME: "/nonexistent",
    // Never returns.
    EDITOR: "sleep 1000",
    VISUAL: "sleep 1000",
  },
  killTree: (marker) => killMarkedProcesses("TAU_CALL", marker),
});

function bash(
  command: string,
  { cwd = "/", timeout, signal, ...options }: BashToolOptions & {
    cwd?: string;
    timeout?: number;
    signal?: AbortSignal;
  } = {},
): Promise<ToolOutcome> {
  return outcomeOf(
    createBashTool(cwd, { operations, ...options }),
    withoutUndefined({ command, timeout }),
    withoutUndefined({ signal }),
  );
}

/** Operations that play a command: it prints, then it ends. */
function scripted(
  play: (
    print: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>,
    signal: AbortSignal | undefined,
  ) => Promise<void>,
  exitCode: number | null = 0,
): BashOperations {
  return {
    async exec(_command, _cwd, { onData, signal }) {
      await play(async (bytes) => await onData(bytes), signal);
      return { exitCode };
    },
  };
}

Deno.test("bash returns what a command prints, with its data", async () => {
  const { text, isError, details, structuredContent } = await bash(
    "echo out; echo err >&2; sleep 0.2",
  );
  assert.deepEqual({ text, isError, details }, {
    text: "out\nerr\n",
    isError: false,
    details: undefined,
  });
  const { wall_time_seconds, ...rest } = structuredContent as {
    wall_time_seconds: number;
  };
  assert.deepEqual(rest, {
    output: "out\nerr\n",
    truncated: false,
    exit_code: 0,
  });
  assert.ok(wall_time_seconds >= 0.2);
  assert.equal(wall_time_seconds, Math.round(wall_time_seconds * 10) / 10);
  assert.equal((await bash("true")).text, "(no output)");
});

Deno.test("bash reports a command that a signal or an exit code ended as failed, with its output", async () => {
  for (
    const [command, output, code] of [
      ["echo half; exec sh -c 'kill -9 $$'", "half", 137],
      ["echo half; kill -s TERM $$; sleep 5", "half", 143],
      ["exit 7", "(no output)", 7],
    ] as const
  ) {
    const { text, isError, structuredContent } = await bash(command);
    assert.equal(text, `${output}\n\nCommand exited with code ${code}`);
    assert.ok(isError);
    const { exit_code } = structuredContent as { exit_code: number };
    assert.equal(exit_code, code);
  }
  assert.equal((await bash("false | true")).isError, false);
});

Deno.test("bash never waits for input, for the terminal, for a pager or for an editor", async () => {
  for (
    const [command, printed] of [
      ["read -r -p 'name? ' x; echo \"got:[$x]\"; cat", /^got:\[\]\n$/],
      ["sh -c 'read y < /dev/tty; echo tty:$y'", /\/dev\/tty[^]*^tty:$/m],
      ["echo $PAGER $GIT_PAGER", /^cat cat\n$/],
      ["$EDITOR; $VISUAL; $GIT_EDITOR; echo done", /^done\n$/],
    ] as const
  ) assert.match((await bash(command, { timeout: 20 })).text, printed);
});

Deno.test("bash keeps the end of a long output and all of it in a private file", () =>
  inTempFolder(async (folder) => {
    const outputDir = `${folder}/outputs`;
    const lines = await bash("seq 1 3000", { outputDir });
    const [path = ""] = /\/\S+\.log/.exec(lines.text) ?? [];
    assert.ok(path.startsWith(outputDir));
    const numbers = Array.from({ length: 3000 }, (_, i) => `${i + 1}`);
    const all = numbers.join("\n") + "\n";
    assert.equal(
      lines.text,
      `${
        numbers.slice(1000).join("\n")
      }\n\n[Showing lines 1001-3000 of 3000. Full output: ${path}]`,
    );
    assert.deepEqual(lines.details, {
      truncation: {
        truncated: true,
        truncatedBy: "lines",
        totalLines: 3000,
        totalBytes: 13893,
        outputLines: 2000,
        outputBytes: 9999,
        lastLinePartial: false,
        firstLineExceedsLimit: false,
        maxLines: 2000,
        maxBytes: 51200,
      },
      fullOutputPath: path,
    });
    const { wall_time_seconds: _, ...data } = lines.structuredContent as {
      wall_time_seconds: number;
    };
    assert.deepEqual(data, {
      output: all,
      truncated: true,
      full_output_path: path,
      exit_code: 0,
    });
    assert.equal(await Deno.readTextFile(path), all);
    assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);

    const bytes = await bash("seq -f 'line %0100.0f' 1 1000", { outputDir });
    assert.match(
      bytes.text,
      /\n\n\[Showing lines 518-1000 of 1000 \(50\.0KB limit\)\. Full output: \/\S+\]$/,
    );
    const line = await bash(
      "echo first; head -c 200000 /dev/zero | tr '\\0' x",
      { outputDir },
    );
    assert.match(
      line.text,
      /^x{51200}\n\n\[Showing last 50\.0KB of line 2 \(line is 195\.3KB\)\. Full output: \/\S+\]$/,
    );
  }));

Deno.test("bash keeps every byte of an output that comes in chunks of any size", () =>
  inTempFolder(async (outputDir) => {
    const chunks = [100, 40_000, 3_000_000, 1, 70_000].map((size, i) =>
      new Uint8Array(size).fill(65 + i)
    );
    const backend = scripted(async (print) => {
      for (const chunk of chunks) await print(chunk);
    });
    const create = operations.createOutputFile.bind(operations);
    const { details } = await bash("x", {
      operations: { ...backend, createOutputFile: create },
      outputDir,
    });
    const { fullOutputPath } = details as { fullOutputPath: string };
    const expected = await new Blob(chunks).bytes();
    assert.deepEqual(await Deno.readFile(fullOutputPath), expected);
  }));

Deno.test("bash says how much was cut where the full output cannot be written", async () => {
  const { text, isError } = await bash("seq 1 3000", { outputDir: NOWHERE });
  assert.match(
    text,
    /\n\n\[Showing lines 1001-3000 of 3000\. The rest of 13\.6KB was not kept\]$/,
  );
  assert.equal(isError, false);
});

/** A folder that cannot be made. */
const NOWHERE = "/dev/null/x";

Deno.test("bash keeps little of a large output in memory", async () => {
  // Of this thread alone: other test files may run beside it.
  const heldBytes = () => {
    const { heapUsed, external } = Deno.memoryUsage();
    return heapUsed + external;
  };
  // One chunk again and again, so that no garbage of pipes is measured.
  const chunk = new Uint8Array(60_000).fill(120);
  const operations = scripted(async (print) => {
    for (let n = 0; n < 1000; n++) await print(chunk);
  });
  const before = heldBytes();
  const { text } = await bash("x", { operations, outputDir: NOWHERE });
  assert.match(
    text,
    /\[Showing last 50\.0KB of line 1 \(line is 57\.2MB\)\. The rest of 57\.2MB was not kept\]$/,
  );
  const grownBytes = heldBytes() - before;
  assert.ok(grownBytes < 20_000_000, `${grownBytes} bytes`);
});

Deno.test("bash gives the ends of an output of more than 1 MiB as data", async () => {
  const outcome = await bash(
    "printf start; head -c 1500000 /dev/zero | tr '\\0' x; printf end",
  );
  const { output } = outcome.structuredContent as { output: string };
  assert.equal(
    output,
    "start" + "x".repeat(524288 - 5) +
      "\n\n[... 451432 bytes omitted ...]\n\n" +
      "x".repeat(524288 - 3) + "end",
  );
});

Deno.test("bash shows characters whole that arrive in pieces, in updates too", async () => {
  const bytes = new TextEncoder().encode("a😀é\n");
  const updates: string[] = [];
  const tool = createBashTool("/", {
    operations: scripted(async (print) => {
      for (const byte of bytes) {
        await print(new Uint8Array([byte]));
        // Long enough for an update between two bytes.
        await new Promise((resolve) => setTimeout(resolve, 110));
      }
    }),
  });
  const { text } = await outcomeOf(tool, { command: "x" }, {
    onUpdate: ({ content: [block] }) => {
      if (block?.type === "text") updates.push(block.text);
    },
  });
  assert.equal(text, "a😀é\n");
  assert.ok(updates.length > 3);
  for (const update of updates) assert.ok("a😀é\n".startsWith(update), update);
});

Deno.test("bash reports progress at once, at most ten times a second, and at the end", async () => {
  const times: number[] = [];
  const texts: (string | undefined)[] = [];
  const tool = createBashTool("/", {
    operations: scripted(async (print) => {
      const endMs = performance.now() + 450;
      for (let i = 0; performance.now() < endMs; i++) {
        await print(new TextEncoder().encode(`${i}\n`));
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      await print(new TextEncoder().encode("last\n"));
    }),
  });
  await outcomeOf(tool, { command: "x" }, {
    onUpdate: ({ content: [block] }) => {
      times.push(performance.now());
      texts.push(block?.type === "text" ? block.text : undefined);
    },
  });
  assert.equal(texts[0], undefined);
  assert.ok(texts.at(-1)?.endsWith("\nlast\n"));
  assert.ok(times.length >= 3 && times.length <= 7, `${times.length} updates`);
  for (let i = 1; i < times.length - 1; i++) {
    const gapMs = (times[i] as number) - (times[i - 1] as number);
    assert.ok(gapMs > 95, `${gapMs} ms after the update before`);
  }
});

Deno.test("bash ends a command at its timeout or on abort, and says so below what it printed", async () => {
  for (
    const [command, options, text] of [
      [
        "echo half; sleep 60",
        { timeout: 0.3 },
        "half\n\nCommand timed out after 0.3 seconds",
      ],
      ["sleep 60", { timeoutMs: 200 }, "Command timed out after 0.2 seconds"],
      [
        "echo half; sleep 60",
        {
          get signal() {
            return AbortSignal.timeout(200);
          },
        },
        "half\n\nCommand aborted",
      ],
    ] as const
  ) {
    const { isError, elapsedMs, ...outcome } = await bash(command, options);
    assert.equal(outcome.text, text);
    assert.ok(isError);
    assert.ok(elapsedMs < 3000, `${elapsedMs} ms`);
  }
  // Operations that others wrote may say it by a message.
  for (
    const [message, status] of [
      ["aborted", "Command aborted"],
      ["timeout:5", "Command timed out after 5 seconds"],
    ] as const
  ) {
    const operations = scripted(async (print) => {
      await print(new TextEncoder().encode("so far\n"));
      throw new Error(message);
    });
    const { text, isError } = await bash("x", { operations });
    assert.deepEqual([text, isError], [`so far\n\n${status}`, true]);
  }
});

Deno.test("bash refuses what it cannot run", async () => {
  const finite = "Invalid timeout: must be a finite number of seconds";
  const cases: [string, Parameters<typeof bash>[1], text: string][] = [
    ...[0, -1, NaN, Infinity].map((
      timeout,
    ): [string, { timeout: number }, string] => ["true", { timeout }, finite]),
    [
      "true",
      { timeout: 2147483.648 },
      "Invalid timeout: maximum is 2147483.647 seconds",
    ],
    [
      "true",
      { cwd: "/nonexistent/x" },
      "Working directory does not exist: /nonexistent/x\nCannot execute bash commands.",
    ],
    ["a\0b", {}, "Cannot run the command: it holds a NUL character"],
    [
      `true ${"x".repeat(200_000)}`,
      {},
      "Cannot run the command: it is 195.3KB, over 128.0KB; write it to a file and run that",
    ],
    [`true ${"x".repeat(131_000)}`, {}, "(no output)"],
    [
      "x",
      { operations: scripted(() => Promise.resolve(), null) },
      "Command terminated without an exit code",
    ],
  ];
  for (const [command, options, text] of cases) {
    assert.equal((await bash(command, options)).text, text);
  }
});

Deno.test("bash shows no control character and sums up binary data", async () => {
  for (
    const [command, text] of [
      ["printf 'a\\033[31mred\\033[0m\\007b\\0c\\n'", "aredb␀c\n"],
      [
        "printf '\\033(Ba\\033[m \\0337b\\0338 \\033=c\\033> \\033P1$r0m\\033\\\\d \\033#8e\\033c\\n'",
        "a b c d e\n",
      ],
      [
        "echo before; head -c 3000 /dev/zero; echo; echo after",
        "before\n[binary data, about 2.9KB]\nafter\n",
      ],
      ["printf 'caf\\351 au lait\\n'", "caf\ufffd au lait\n"],
    ] as const
  ) assert.equal((await bash(command)).text, text);
});

Deno.test("bash gives commands the variables of the session, unless it must not", async () => {
  const session = { TAU_SESSION_ID: "s1", TAU_MODEL: "m1" };
  for (
    const [options, context, printed, guidelines] of [
      [{}, { sessionEnvironment: session }, "s1,m1\n", 2],
      [{}, {}, ",\n", 2],
      [
        { exposeSessionEnvironment: false },
        { sessionEnvironment: session },
        ",\n",
        1,
      ],
    ] as const
  ) {
    const definition = createBashToolDefinition("/", {
      operations,
      ...options,
    });
    const { content } = await definition.execute(
      "1",
      { command: 'echo "$TAU_SESSION_ID,$TAU_MODEL"' },
      undefined,
      undefined,
      { cwd: "/", ...context },
    );
    assert.deepEqual(content, [{ type: "text", text: printed }]);
    assert.equal(definition.promptGuidelines?.length, guidelines);
  }
});

Deno.test("bash runs in the folder of its context, with the prefix, and lets the hook change it last", () =>
  inTempFolder(async (cwd) => {
    const definition = createBashToolDefinition("/nonexistent", {
      operations,
      commandPrefix: "x=prefixed",
      spawnHook: (spawn) => ({
        ...spawn,
        command: `${spawn.command}; echo "$HOOK"`,
        env: { ...spawn.env, HOOK: "hooked" },
      }),
    });
    const { content } = await definition.execute(
      "1",
      { command: 'pwd; echo "$x"' },
      undefined,
      undefined,
      { cwd },
    );
    assert.deepEqual(content, [{
      type: "text",
      text: `${cwd}\nprefixed\nhooked\n`,
    }]);
  }));
