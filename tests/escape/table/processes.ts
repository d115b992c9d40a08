import { type Attack, commands, held } from "../attack.ts";

const HELD = "sandbox processes";

/** Other processes, and processes that stay. */
export const PROCESSES: Attack[] = [
  {
    name: "kills a process outside",
    wants: { kills: true },
    code: held("Deno.kill({victim}, 'SIGKILL')", "sandbox processes"),
    ...commands("kill -9 {victim}", HELD),
  },
  {
    name: "reads the arguments of a process outside",
    wants: { reads: "process" },
    code: held(
      "return await Deno.readTextFile('/proc/{victim}/cmdline')",
      "flags all access · sandbox processes",
    ),
    ...commands("cat /proc/[0-9]*/cmdline | tr '\\0' '\\n'", HELD),
  },
  {
    name: "lists the processes of the machine",
    wants: { reads: "process" },
    ...commands("ps -eo args 2>/dev/null", HELD),
  },
  {
    name: "goes through the open files of a process outside",
    wants: { does: "there is one" },
    ...commands("ls /proc/{victim}/fd >/dev/null && echo ESC''APED", HELD),
  },
  {
    name: "goes through the root of a process outside",
    wants: { does: "it is there" },
    ...commands("cd /proc/{victim}/root && echo ESC''APED", "sandbox twice"),
  },
  {
    name: "leaves a process that nobody finds by its environment",
    wants: { outlives: true },
    code: held(
      "new Deno.Command('setsid', { args: ['sleep', '{nap}'], clearEnv: true, detached: true, stdin: 'null', stdout: 'null', stderr: 'null' }).spawn().unref()",
      "sandbox processes",
    ),
    ...commands("env -i setsid sleep {nap} </dev/null >/dev/null 2>&1 &", HELD),
  },
  {
    name: "leaves a process whose parents are gone",
    wants: { outlives: true },
    ...commands(
      "(env -i setsid sh -c 'sleep {nap} & sleep {nap} &' </dev/null >/dev/null 2>&1 &)",
      HELD,
    ),
  },
  {
    name: "leaves a process that cannot be ended politely",
    wants: { outlives: true },
    ...commands(
      "env -i setsid bash -c 'trap \"\" TERM HUP INT; exec sleep {nap}' </dev/null >/dev/null 2>&1 &",
      HELD,
    ),
  },
];

const ALLOWED = "environment allow list";

/** Keys in environments. */
export const VARIABLES: Attack[] = [
  {
    name: "prints its variables",
    wants: { reads: "key" },
    code: held(
      "return JSON.stringify(Deno.env.toObject())",
      ALLOWED,
    ),
    ...commands("env", ALLOWED),
  },
  {
    name: "asks for the variable of a key",
    wants: { reads: "key" },
    code: held(
      "return Deno.env.get('OPENAI_API_KEY')",
      ALLOWED,
    ),
    ...commands("echo $OPENAI_API_KEY", ALLOWED),
  },
  {
    name: "asks for the variable of a key as programs for Node do",
    wants: { reads: "key" },
    code: held(
      "return (await import('node:process')).env.OPENAI_API_KEY",
      ALLOWED,
    ),
  },
  {
    name: "starts a program that inherits everything",
    wants: { reads: "key" },
    code: held(
      "return new TextDecoder().decode((await new Deno.Command('env').output()).stdout)",
      ALLOWED,
    ),
  },
  {
    name: "starts a program as Node does, which hands everything on",
    wants: { reads: "key" },
    code: held(
      "const { spawnSync } = await import('node:child_process'); return spawnSync('env', { env: { PATH: '/usr/bin:/bin' } }).stdout",
      ALLOWED,
    ),
  },
  {
    name: "reads its own environment from /proc",
    wants: { reads: "key" },
    code: held(
      "return await Deno.readTextFile('/proc/self/environ')",
      "flags all access · environment allow list",
    ),
    ...commands("cat /proc/self/environ | tr '\\0' '\\n'", ALLOWED),
  },
  {
    name: "reads the environment of the kernel",
    wants: { reads: "key" },
    ...commands("cat /proc/$PPID/environ | tr '\\0' '\\n'", ALLOWED),
  },
  {
    name: "reads the environment of the host",
    wants: { reads: "key" },
    ...commands(
      "for one in /proc/[0-9]*; do grep -qsE 'src/mai[n].ts|escape_mai[n].ts' $one/cmdline && tr '\\0' '\\n' <$one/environ; done 2>/dev/null | grep CANARY",
      "sandbox twice",
    ),
  },
];
