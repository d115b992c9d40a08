import { measureAnswer } from "./answer.ts";
import { runModule } from "./child.ts";
import { measurePlugins } from "./plugins.ts";
import { measureResume } from "./resume.ts";
import { measureSandbox } from "./sandbox.ts";
import { measureStart } from "./start.ts";
import { measureTurns } from "./turns.ts";

// Prints ratios against something in the same run: machines differ, and the
// same machine differs from minute to minute.
const programs = [
  { name: "source", main: new URL("../../src/main.ts", import.meta.url) },
  { name: "bundle", main: new URL("../../dist/app/main.js", import.meta.url) },
];

for (const { name, main } of programs) {
  const found = await Deno.stat(main).catch(() => {});
  if (!found) {
    print(`${name}: not there; make it with: deno task build`);
    continue;
  }
  print(`${name}:`);
  const start = await measureStart(main);
  print(
    `  start to first model request  ${start.tauMs.toFixed(0)} ms, ${
      (start.tauMs / start.emptyMs).toFixed(2)
    } times an empty program (${start.emptyMs.toFixed(0)} ms)`,
  );
  print(
    `  last byte to exit             ${start.exitMs.toFixed(0)} ms, ${
      (start.exitMs / start.emptyMs).toFixed(2)
    } times an empty program`,
  );
  const { auto: confined, off } = await measureSandbox(main);
  print(
    `  the sandbox adds              ${
      (confined.startMs - off.startMs).toFixed(0)
    } ms to the start, ${
      (confined.commandMs - off.commandMs).toFixed(2)
    } ms to a command (${off.commandMs.toFixed(1)} ms)`,
  );
  const plugins = await measurePlugins(main);
  print(
    `  ten plugins add               ${
      plugins.startMs.toFixed(0)
    } ms to the start; a call of a plugin's tool takes ${
      plugins.callMs.toFixed(2)
    } ms more than one of ls`,
  );
  const turns = await measureTurns(main);
  print(
    `  turn with one read            ${turns.perTurnMs.toFixed(2)} ms, ${
      turns.unstoredMs.toFixed(2)
    } ms without a session`,
  );
  const resume = await measureResume(main);
  print(
    `  a session of 20 MB            opened in ${
      resume.openMs.toFixed(0)
    } ms; start to first request ${resume.wholeMs.toFixed(0)} ms, ${
      resume.summarisedMs.toFixed(0)
    } ms where most of it is summarised`,
  );
  for (const format of ["text", "stream-json"] as const) {
    const answer = await measureAnswer(main, format);
    print(
      `  2 MB in 20-byte deltas, ${format.padEnd(11)} ${
        answer.tauMs.toFixed(0)
      } ms, ${(answer.tauMs / answer.bareMs).toFixed(2)} times a bare reader (${
        answer.bareMs.toFixed(0)
      } ms)`,
    );
  }
}

print("agent core:");
// A process of its own, without the lock file: it fetches another core.
await runModule(new URL("agent.ts", import.meta.url), {
  flags: ["--no-lock"],
  stdout: "inherit",
});

print("long conversations:");
await runModule(new URL("compaction.ts", import.meta.url), {
  stdout: "inherit",
});

print("tools:");
await runModule(new URL("tools.ts", import.meta.url), { stdout: "inherit" });

print("single files:");
await runModule(new URL("artifacts.ts", import.meta.url), {
  stdout: "inherit",
});

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
