import assert from "node:assert/strict";
import { atOnce } from "../support/at_once.ts";
import { runBash } from "../support/bash_run.ts";
import { denoDir } from "../support/host_run.ts";
import { needing } from "../support/needs.ts";
import { putFiles } from "../support/put_files.ts";
import { isCompiled, runTau } from "../support/tau_process.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const sandboxTest = needing("bubblewrap");

/** Runs one confined command; resolves to its result as the model read it. */
async function told(
  command: string,
  options: Parameters<typeof runBash>[1] = {},
): Promise<string> {
  const { results, record, stderr } = await runBash([command], options);
  assert.equal(record.status, "completed", stderr);
  assert.equal(record.sandbox.state, "confined", record.sandbox.reason);
  return results[0] ?? "";
}

sandboxTest(
  "tau shows commands no key in any environment or command line, and only their own processes",
  async () => {
    const output = await told(
      [
        "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c 'CANARY[3]'",
        "tr '\\0' '\\n' </proc/1/environ | grep -c 'CANARY[3]'",
        "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c 'CANARY[3]'",
        "ls /proc | grep -c '^[0-9]'",
      ].join("; "),
      { env: { OPENAI_API_KEY: "sk-CANARY3" } },
    );
    const [environ, first, lines, processes] = output.trim().split("\n");
    assert.deepEqual([environ, first, lines], ["0", "0", "0"]);
    assert(Number(processes) < 10, output);
  },
);

needing("bubblewrap", "python")(
  "tau lets commands reach nothing outside, over the network or a socket in the workspace",
  async () => {
    await inTempFolder(async (cwd) => {
      const tcp = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const unix = Deno.listen({ transport: "unix", path: `${cwd}/host.sock` });
      let connections = 0;
      const count = async (listener: AsyncIterable<Deno.Conn>) => {
        for await (const connection of listener) {
          connections++;
          connection.close();
        }
      };
      const counting = [count(tcp), count(unix)];
      const attempts = `
      (exec 3<>/dev/tcp/127.0.0.1/${tcp.addr.port}) 2>/dev/null && echo tcp
      python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("host.sock"); print("unix")' 2>&1 | tail -1
      python3 -c 'import socket; socket.socketpair(); print("pair")'
      getent hosts example.org
      true`;
      const output = await told(attempts, { cwd });
      assert.match(output, /^PermissionError: .*\npair\s*$/);
      assert.equal(connections, 0);

      const open = await told(attempts, {
        cwd,
        args: ["--allow-net"],
        env: { TAU_HOME: `${cwd}/home` },
      });
      assert.match(open, /^tcp\nPermissionError/);
      await putFiles(cwd, {
        "home/settings.json": '{"sandbox":{"allowUnixSockets":true}}',
      });
      const sockets = await told(attempts, {
        cwd,
        env: { TAU_HOME: `${cwd}/home` },
      });
      assert.match(sockets, /^unix\npair/);
      assert.equal(connections, 2);
      tcp.close();
      unix.close();
      await Promise.all(counting);
    });
  },
);

sandboxTest(
  "tau hides secrets of the home folder from commands and refuses them to file tools",
  async () => {
    await inTempFolder(async (root) => {
      await putFiles(root, {
        "home/.ssh/id": "CANARY",
        "home/.npmrc": "CANARY",
        "home/.tau/sessions/a": "CANARY",
        "home/notes": "a note",
        "home/work/x": "",
      });
      const options = {
        cwd: `${root}/home/work`,
        env: {
          HOME: `${root}/home`,
          TAU_HOME: `${root}/home/.tau`,
          DENO_DIR: denoDir(),
        },
      };
      const look =
        "cat ~/.ssh/id ~/.npmrc ~/.tau/sessions/a ~/notes 2>&1; ls -A ~/.ssh; echo x >~/new; ls ~; true";
      const args = ["--allow-read", `${root}/home/notes`];
      const seen = await told(look, { ...options, args });
      assert.doesNotMatch(seen, /CANARY/);
      assert.match(seen, /a note/);
      assert.doesNotMatch(
        await told(look, { ...options, args: ["--profile", "strict"] }),
        /CANARY|a note/,
      );
      const all = await told(look, {
        cwd: `${root}/home`,
        env: options.env,
      });
      assert.doesNotMatch(all, /CANARY/);
      await Deno.stat(`${root}/home/new`);
    });
  },
);

sandboxTest(
  "tau keeps what starts programs as it is, and the settings of the system",
  async () => {
    await inTempFolder(async (cwd) => {
      await putFiles(cwd, {
        ".envrc": "as it was",
        ".vscode/tasks.json": "{}",
      });
      const output = await told(
        [
          "for name in .envrc .vscode/tasks.json .vscode/new /etc/new /proc/sys/kernel/core_pattern; do",
          "echo x 2>/dev/null >$name && echo wrote $name; done;",
          "rm -rf .vscode 2>/dev/null; mount -o remount,rw / 2>&1; unshare -Ur true 2>&1; true",
        ].join(" "),
        { cwd },
      );
      assert.doesNotMatch(output, /wrote/);
      assert.equal(await Deno.readTextFile(`${cwd}/.envrc`), "as it was");
      assert.equal(await Deno.readTextFile(`${cwd}/.vscode/tasks.json`), "{}");
    });
  },
);

sandboxTest("tau gives each profile what it says", async () => {
  await inTempFolder(async (root) => {
    await putFiles(root, { "more/x": "", "work/x": "" });
    const script =
      `touch new && echo wrote; touch ${root}/more/new && echo more; (exec 3<>/dev/tcp/127.0.0.1/1) 2>&1 | grep -o refused | head -1; env | grep ^LAB; true`;
    const cases: [args: string[], output: RegExp][] = [
      [["--profile", "read-only", "--tools", "bash"], /^refused\s*$/m],
      [["--profile", "strict"], /wrote\nrefused\s*$/],
      [["--add-dir", `${root}/more`], /wrote\nmore\nrefused\s*$/],
      [["--allow-write", `${root}/more`], /wrote\nmore\nrefused\s*$/],
      [["--pass-env", "LAB,OTHER"], /wrote\nrefused\nLAB=1\s*$/],
    ];
    await atOnce(cases, async ([args, expected]) => {
      const cwd = `${root}/work`;
      const output = await told(`(${script}) 2>/dev/null`, {
        cwd,
        args,
        env: { LAB: "1" },
      });
      assert.match(output, expected, `${args.join(" ")}:\n${output}`);
      assert.equal(output.includes("wrote"), !args.includes("read-only"));
    });
  });
});

Deno.test("tau refuses folders that are not there, and its own keys as variables", async () => {
  const cases: [string[], RegExp][] = [
    [["--add-dir", "/none"], /Cannot use --add-dir "\/none": no such file/],
    [["--allow-read", "/none"], /--allow-read/],
    [["--pass-env", "OPENAI_API_KEY"], /OPENAI_API_KEY: it belongs to tau/],
    [["--pass-env", "A-B"], /expected names between commas/],
    [["--allow-net=a b"], /expected hosts between commas/],
  ];
  await atOnce(cases, async ([args, message]) => {
    const run = await runTau(["-p", ...args, "go"], {
      env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://127.0.0.1:1" },
    });
    assert.equal(run.code, 2, args.join(" "));
    assert.match(run.stderr, message);
  });
});

Deno.test("tau refuses a folder that Deno cannot be told of, and shows no permissions of a run that there will not be", async () => {
  await inTempFolder(async (root) => {
    await putFiles(root, {
      "a,b/x": "",
      "home/settings.json": '{"permissions":{"deny":["bsah"]}}',
    });
    const comma = await runTau(["permissions", "--add-dir", `${root}/a,b`]);
    assert.equal(comma.code, 2);
    assert.match(comma.stderr, /--add-dir ".*a,b": .* comma/);
    const tool = await runTau(["permissions", "--tools", "bsh"]);
    assert.equal(tool.code, 2);
    assert.match(tool.stderr, /Unknown tool "bsh"/);
    const env = { TAU_HOME: `${root}/home` };
    const rule = await runTau(["permissions", "--json"], { env });
    assert.equal(rule.code, 2);
    assert.match(rule.stderr, /Wrong rule "bsah" of ".*settings\.json"/);
  });
});

sandboxTest(
  "tau lets no run change its own settings, also where it works in TAU_HOME",
  async () => {
    await inTempFolder(async (cwd) => {
      await putFiles(cwd, { "settings.json": "{}", "trust.json": "{}" });
      const env = { TAU_HOME: cwd };
      const change =
        "for name in settings.json trust.json notes; do echo >>$name && echo wrote $name; done 2>/dev/null; true";
      assert.equal(await told(change, { cwd, env }), "wrote notes\n");
      assert.equal(await Deno.readTextFile(`${cwd}/settings.json`), "{}");
    });
  },
);

sandboxTest(
  "tau permissions shows what is held, and what came of trying it",
  async () => {
    const shown = await runTau(["permissions", "--json"]);
    assert.equal(shown.code, 0, shown.stderr);
    const { sandbox, granted } = JSON.parse(shown.stdout);
    assert.equal(sandbox.state, "confined");
    const held = { read: "held", write: "held", connect: "held" };
    const paths = await isCompiled() ? "open" : "held";
    assert.deepEqual(sandbox.probes, {
      operations: { ...held, connect: "not tried" },
      deno: { ...held, read: paths, write: paths },
      system: held,
      reportedBy: "kernel",
    });
    assert.equal(granted.net, "none");
    assert.deepEqual([shown.left, shown.tempLeft], [[], []]);
  },
);

Deno.test("tau permissions shows what is open where nothing confines", async () => {
  const off = await runTau(["permissions", "--sandbox", "off"]);
  assert.match(off.stdout, /^commands +not confined: .*off/m);
  assert.match(off.stdout, /^ {2}commands +open +open +open/m);
  assert.deepEqual([off.left, off.tempLeft], [[], []]);
});

sandboxTest(
  "tau doctor finds nothing wrong where a sandbox starts",
  async () => {
    const { code, stdout } = await runTau(["doctor"]);
    assert.equal(code, 0, stdout);
  },
);

Deno.test("tau doctor says which keys there are, what holds each door, and what nothing holds", async () => {
  const doctor = await runTau(["doctor", "--json"], {
    env: { OPENAI_API_KEY: "sk-CANARY" },
  });
  assert.doesNotMatch(doctor.stdout, /CANARY/);
  const { findings, keys, doors, limits } = JSON.parse(doctor.stdout);
  const isFine = findings.every((finding: { isFine: boolean }) =>
    finding.isFine
  );
  assert.equal(doctor.code, isFine ? 0 : 1, doctor.stdout);
  assert(
    keys.some((key: { provider: string; hasKey: boolean }) =>
      key.provider === "openai" && key.hasKey
    ),
  );
  assert.equal(doors.length, 3);
  assert(limits.length > 0);
});
