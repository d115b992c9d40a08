import assert from "node:assert/strict";
import { call, say } from "../support/provider_double.ts";
import { needing } from "../support/needs.ts";
import { programOf } from "../support/tau_process.ts";
import { openTerminal, type Terminal } from "../support/terminal.ts";
import { childEnvironment, TRACE } from "../support/host_run.ts";
import { atOnce } from "../support/at_once.ts";
import { killAll, leftAfter, processesWith } from "../support/processes.ts";
import {
  inPlace,
  type PlaceOptions,
  type TauPlace,
} from "../support/tau_place.ts";

const terminalTest = needing("tmux");

interface Talk extends TauPlace {
  terminal: Terminal;
  /** The program's process. */
  pid(): Promise<number>;
  /** Processes of the program that are alive a moment later. */
  left(): Promise<number[]>;
}

/** Commands are run without asking, also where nothing confines them. */
const COMMANDS_ALLOWED = ["--allow-tool", "bash"];

/** Starts a conversation with a scripted provider and lends it. */
async function talk(
  { args = [], ...options }: PlaceOptions & { args?: string[] },
  use: (talk: Talk) => Promise<void>,
): Promise<void> {
  await inPlace({ work: "a project", ...options }, async (place) => {
    const trace = { name: TRACE, value: crypto.randomUUID() };
    // The folder goes when the program has: it tidies up when its terminal does.
    await using _ended = {
      [Symbol.asyncDispose]: async () => killAll(await leftAfter(5000, trace)),
    };
    const { cwd, env } = place;
    await using terminal = await openTerminal(
      [...programOf({}), "--model", "openai/gpt-4o", ...args],
      { cwd, env: { ...childEnvironment(), ...env, [TRACE]: trace.value } },
    );
    await use({
      ...place,
      terminal,
      pid: async () => {
        const pids = await processesWith(trace.name, trace.value);
        // Not the lowest one: numbers begin anew when they are used up.
        return pids.find((pid) => !pids.includes(parentOf(pid))) ?? 0;
      },
      left: () => leftAfter(2000, trace),
    });
  });
}

/** The parent of a process; of one that has ended, itself. */
function parentOf(pid: number): number {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    // The name in the second field may hold spaces and brackets.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return pid;
  }
}

/** Types a line. */
async function enter(terminal: Terminal, line: string): Promise<void> {
  await terminal.type(line);
  await terminal.press("Enter");
}

terminalTest(
  "tau on a terminal holds a conversation: answer, tool, steering, Ctrl-C, history, quit",
  async () => {
    const script = [
      say("The **first** answer."),
      say(
        "",
        call("bash", {
          command: "while [ ! -e go ]; do sleep 0.02; done; echo finished",
        }),
      ),
      say("Steered."),
      say("", call("bash", { command: "sleep 60" })),
      say("After the stop."),
    ];
    const args = COMMANDS_ALLOWED;
    await talk({ script, args }, async ({ terminal, request, cwd }) => {
      await terminal.waitFor(/tau · openai\/gpt-4o · session [0-9a-f]{8}/);
      await terminal.waitFor(/^> $/m);
      await enter(terminal, "say something");
      await terminal.waitFor(
        /The \*\*first\*\* answer\.\n\(1 turn, .* tokens, .* s\)\n\n> $/m,
      );

      await enter(terminal, "wait");
      await terminal.waitFor(/\$ while \[/);
      await enter(terminal, "and be quick");
      await terminal.waitFor(/^» and be quick$/m);
      Deno.writeTextFileSync(`${cwd}/go`, "");
      await terminal.waitFor(/finished[^]*Steered\.\n\(2 turns/);
      assert.equal(request(2).last("user"), "and be quick");

      await terminal.press("Up", "Up");
      await terminal.waitFor(/^> wait$/m);
      await terminal.press("Enter");
      await terminal.waitFor(/\$ sleep 60/);
      await terminal.press("C-c");
      await terminal.waitFor(/tau: Interrupted \(SIGINT\)\n\(1 turn[^]*> \s*$/);
      await enter(terminal, "go on");
      await terminal.waitFor(/After the stop\./);

      await enter(terminal, "/quit");
      assert.equal(await terminal.exitCode(), 0);
    });
  },
);

terminalTest(
  "tau on a terminal shows control sequences of model and tools as signs",
  async () => {
    const hostile =
      "\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x1b[2J\x1b[Hend\u202e";
    const script = [
      say(
        "",
        call("bash", { command: `printf '\\033]0;owned\\007\\033[2Jgone\\n'` }),
      ),
      say(`safe ${hostile}`),
    ];
    const args = COMMANDS_ALLOWED;
    await talk({ script, args }, async ({ terminal }) => {
      await terminal.waitFor(/^> $/m);
      await enter(terminal, "attack");
      const shown = await terminal.waitFor(/safe .*end.*\n\(2 turns/);
      assert.match(shown, /^gone$/m);
      assert.match(shown, /safe ␛\]0;owned␇␛\]52;c;b3duZWQ=␇␛\[2J␛\[Hend/);
      assert.doesNotMatch(await terminal.title(), /owned/);
      assert.equal(await terminal.buffers(), "");
      await terminal.press("C-d");
      assert.equal(await terminal.exitCode(), 0);
    });
  },
);

terminalTest(
  "tau on a terminal runs commands of the user, and asks with numbers which session to go on with",
  async () => {
    const script = [
      say("First session."),
      say("Second session."),
      say("Again."),
    ];
    await talk({ script }, async ({ terminal, request }) => {
      await terminal.waitFor(/^> $/m);
      await enter(terminal, "remember the first");
      await terminal.waitFor(/First session\.\n\(1 turn/);
      // Typed ahead: it is said to the session that is being opened.
      await terminal.press("/new", "Enter", "!echo shown to both", "Enter");
      await terminal.waitFor(/First session\.[^]*session [0-9a-f]{8}\n/);
      await terminal.waitFor(/\nshown to both\n/);
      await enter(terminal, "!!echo only here");
      await terminal.waitFor(/\nonly here\n/);
      await enter(terminal, "what did I run?");
      await terminal.waitFor(/Second session\.\n\(1 turn/);
      const second = request(1).text;
      assert.match(second, /shown to both/);
      assert.doesNotMatch(second, /only here|remember the first/);

      await enter(terminal, "/resume");
      await terminal.waitFor(
        /1\. [0-9a-f]{8} {2}remember the first\n\s*number: $/m,
      );
      await enter(terminal, "7");
      await terminal.waitFor(/Choose a number from 1 to 1/);
      await enter(terminal, "1");
      await terminal.waitFor(
        /\? 1\n[^]*session [0-9a-f]{8} · 3 messages\n[^]*> \s*$/,
      );
      await enter(terminal, "and now?");
      await terminal.waitFor(/Again\.\n/);
      assert.match(request(2).text, /remember the first/);
      await terminal.press("C-c", "C-c");
      assert.equal(await terminal.exitCode(), 130);
    });
  },
);

terminalTest(
  "tau on a terminal says what it does not know and goes on",
  async () => {
    await talk({ script: [say("Fine.")] }, async ({ terminal }) => {
      await terminal.waitFor(/^> $/m);
      await enter(terminal, "/skill:none do it");
      await terminal.waitFor(/tau: Unknown skill "none"/);
      await enter(terminal, "/model nobody/nothing");
      await terminal.waitFor(/tau: .*nobody/);
      await enter(terminal, "/help");
      await terminal.waitFor(/\/compact +replace the first part/);
      await enter(terminal, "go");
      await terminal.waitFor(/Fine\.\n/);
    });
  },
);

terminalTest(
  "tau on a terminal asks before a command that a rule asks about, and hears yes, for this session, no and Ctrl-C",
  async () => {
    const run = (command: string) => say("", call("bash", { command }));
    const script = [
      ...[run("echo one"), say("Done one.")],
      ...[run("echo two"), run("echo two"), say("Done two.")],
      ...[run("echo three"), say("Done three.")],
      ...[run("echo four"), say("Not reached.")],
    ];
    const settings = { permissions: { ask: ["bash(echo*)"] } };
    await talk({ script, settings }, async ({ terminal, requests }) => {
      await terminal.waitFor(/^> $/m);
      await enter(terminal, "first");
      await terminal.waitFor(
        /Allow bash\?\necho one\n\(a rule asks for it: "bash\(echo\*\)" of .*\n[^]*3\. No\nnumber: $/m,
      );
      await enter(terminal, "maybe");
      await terminal.waitFor(/Choose a number from 1 to 3/);
      await enter(terminal, "y");
      await terminal.waitFor(/\? y\none\n[^]*Done one\.\n\(2 turns/);

      await enter(terminal, "second");
      await terminal.waitFor(/Allow bash\?\necho two/);
      await enter(terminal, "2");
      const shown = await terminal.waitFor(/Done two\.\n\(3 turns/);
      assert.equal(shown.split("Allow bash?\necho two").length, 2);

      await enter(terminal, "third");
      await terminal.waitFor(/Allow bash\?\necho three[^]*number: $/m);
      await enter(terminal, "n");
      await terminal.waitFor(
        /Not run: the user did not approve[^]*Done three\./,
      );

      await enter(terminal, "fourth");
      await terminal.waitFor(/Allow bash\?\necho four[^]*number: $/m);
      await terminal.press("C-c");
      await terminal.waitFor(/tau: Interrupted \(SIGINT\)\n[^]*> \s*$/);
      assert.equal(requests.length, 8);
    });
  },
);

terminalTest(
  "tau on a terminal asks before each command where nothing confines it",
  async () => {
    const script = [
      say("", call("bash", { command: "echo one" })),
      say("Done."),
    ];
    const args = ["--sandbox", "off"];
    await talk({ script, args }, async ({ terminal }) => {
      await terminal.waitFor(
        /^tau: Commands are not confined: the sandbox is switched off\n[^]*^> $/m,
      );
      await enter(terminal, "go");
      await terminal.waitFor(
        /Allow bash\?\necho one\n\(commands are not confined by a sandbox here\)\n[^]*number: $/m,
      );
      await enter(terminal, "y");
      await terminal.waitFor(/\? y\none\n[^]*Done\.\n\(2 turns/);
    });
  },
);

terminalTest(
  "tau on a terminal shows what a command of the user prints while it runs, and Ctrl-C stops it",
  async () => {
    await talk({ script: [say("Fine.")] }, async ({ terminal, cwd }) => {
      await terminal.waitFor(/^> $/m);
      await enter(
        terminal,
        "!echo begun; while [ ! -e go ]; do sleep 0.02; done; echo ended",
      );
      await terminal.waitFor(/\nbegun\n… $/m);
      Deno.writeTextFileSync(`${cwd}/go`, "");
      await terminal.waitFor(/\nbegun\nended\n\n> $/m);
      await enter(terminal, "!echo again; sleep 60");
      await terminal.waitFor(/\nagain\n… $/m);
      await terminal.press("C-c");
      await terminal.waitFor(/Command aborted\n\n> $/m);
      await enter(terminal, "/nothing");
      await terminal.waitFor(/Unknown command \/nothing/);
      await enter(terminal, "/permissions");
      await terminal.waitFor(/profile +workspace\n[^]*> $/m);
      await enter(terminal, "go");
      await terminal.waitFor(/Fine\.\n\(1 turn/);
    });
  },
);

terminalTest(
  "tau on a terminal ends by signals with their codes, gives the terminal back, and leaves nothing",
  async () => {
    const codes = { SIGTERM: 143, SIGHUP: 129, SIGINT: 130 } as const;
    await atOnce(["SIGTERM", "SIGHUP", "SIGINT"] as const, async (signal) => {
      const script = [say("", call("bash", { command: "sleep 60" }))];
      const args = COMMANDS_ALLOWED;
      await talk({ script, args }, async ({ terminal, pid, left }) => {
        await terminal.waitFor(/^> $/m);
        await enter(terminal, "wait");
        await terminal.waitFor(/\$ sleep 60/);
        Deno.kill(await pid(), signal);
        assert.equal(await terminal.exitCode(), codes[signal]);
        assert.match(await terminal.modes(), /[^-]icanon[^]*[^-]echo /);
        assert.deepEqual(await left(), []);
      });
    });
  },
);

terminalTest(
  "tau on a terminal that is closed ends, and leaves nothing",
  async () => {
    const script = [say("", call("bash", { command: "sleep 60" }))];
    const args = COMMANDS_ALLOWED;
    await talk({ script, args }, async ({ terminal, left }) => {
      await terminal.waitFor(/^> $/m);
      await enter(terminal, "wait");
      await terminal.waitFor(/\$ sleep 60/);
      await terminal.hangUp();
      assert.deepEqual(await left(), []);
    });
  },
);

terminalTest(
  "tau on a terminal goes on after its kernel was killed, during a run and between two",
  async () => {
    const script = [
      say("", call("bash", { command: "touch begun; sleep 60" })),
      say("After the first."),
      say("After the second."),
    ];
    const args = COMMANDS_ALLOWED;
    await talk({ script, args }, async ({ terminal, request, pid, cwd }) => {
      const killKernel = async () => {
        const host = await pid();
        const children = () =>
          Deno.readTextFileSync(`/proc/${host}/task/${host}/children`)
            .trim().split(" ");
        const [kernel = ""] = children();
        assert.notEqual(kernel, "", "there is no kernel");
        Deno.kill(Number(kernel), "SIGKILL");
        // Until the host knows, what is typed would be said to a dead kernel.
        while (children().includes(kernel)) {
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      };
      const made = async (name: string) => {
        while (!await Deno.stat(`${cwd}/${name}`).catch(() => false)) {
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      };
      await terminal.waitFor(/^> $/m);
      await enter(terminal, "wait");
      // A call that has not begun would be made in the next kernel.
      await made("begun");
      await killKernel();
      await terminal.waitFor(/The kernel was ended by SIGKILL/);
      await terminal.waitFor(/After the first\./);
      await terminal.waitFor(/\(2 turns/);
      assert.match(request(1).text, /The kernel ended while this call ran/);
      // Another one is started when it is needed.
      await enter(terminal, "!touch again");
      await made("again");
      await killKernel();
      await enter(terminal, "and now?");
      await terminal.waitFor(/After the second\.\n\(1 turn/);
      assert.match(request(2).text, /After the first/);
      await terminal.press("C-d");
      assert.equal(await terminal.exitCode(), 0);
    });
  },
);

terminalTest(
  "tau on a terminal begins with its argument and files, needs no home, and says in three lines that it has no key",
  async () => {
    const script = [say("Seen.")];
    const args = ["@/etc/hostname", "what is this?"];
    const env = { TAU_HOME: "/proc/none" };
    await talk({ script, args, env }, async ({ terminal, request }) => {
      await terminal.waitFor(/> what is this\?[^]*Seen\.\n\(1 turn/);
      assert.match(request(0).text, /hostname/);
      await terminal.press("C-d");
      assert.equal(await terminal.exitCode(), 0);
    });
    await talk({ script, args: ["@missing", "x"] }, async ({ terminal }) => {
      await terminal.waitFor(/Cannot attach "@missing"[^]*> $/m);
      await enter(terminal, "go on");
      await terminal.waitFor(/Seen\.\n/);
    });
    await talk({ script, env: { TERM: "dumb" } }, async ({ terminal }) => {
      assert.equal(await terminal.exitCode(), 2);
      assert.match(await terminal.screen(), /^tau: TERM=dumb .*tau -p/);
    });
    const noKey = { OPENAI_API_KEY: "" };
    await talk({ script, env: noKey }, async ({ terminal }) => {
      assert.equal(await terminal.exitCode(), 10);
      assert.match(await terminal.screen(), /^(tau: .*\n){1,3}\s*$/);
    });
  },
);

terminalTest(
  "tau on a terminal ends when a plugin says so, after the run that goes on",
  async () => {
    const plugins = {
      "leave.js":
        `export default (tau) => tau.on("tool_call", (_event, ctx) => ctx.shutdown());`,
    };
    const script = [say("", call("read", { path: "a" })), say("Still said.")];
    await talk({ script, plugins }, async ({ terminal, request, left }) => {
      await terminal.waitFor(/^> $/m);
      await enter(terminal, "look and leave");
      assert.equal(await terminal.exitCode(), 0);
      assert.match(await terminal.screen(), /Still said\./);
      assert.equal(request(1).said("tool").length, 1);
      assert.deepEqual(await left(), []);
    });
  },
);

terminalTest(
  "tau on a terminal runs the commands of plugins and loads plugins anew",
  async () => {
    const plugin = (text: string) =>
      `export default (tau) => tau.registerCommand("hail", { description: "hails", handler: (args, ctx) => ctx.ui.notify("${text} " + args) });`;
    const plugins = { "hail.js": plugin("hello") };
    await talk(
      { script: [], plugins },
      async ({ terminal, home }) => {
        const file = `${home}/plugins/hail.js`;
        await terminal.waitFor(/^> $/m);
        await enter(terminal, "/hail Ada");
        await terminal.waitFor(/hail: hello Ada\n/);
        Deno.writeTextFileSync(file, plugin("good day"));
        await enter(terminal, "/reload");
        await terminal.waitFor(/plugins loaded: hail\n/);
        await enter(terminal, "/hail Ada");
        await terminal.waitFor(/hail: good day Ada\n/);
        await enter(terminal, "/help");
        await terminal.waitFor(/\/hail +hails/);
        await enter(terminal, "/nothing");
        await terminal.waitFor(/Unknown command \/nothing/);
      },
    );
  },
);
