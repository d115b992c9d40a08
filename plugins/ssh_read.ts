/**
 * Reads files of another machine: the built-in read tool, over operations that
 * run a command there.
 *
 *     tau --plugin plugins/ssh_read.ts --allow-net \
 *       --plugin-flag ssh_read="ssh build.example.org" --plugin-flag ssh_folder=/srv/app
 *
 * The command gets one more argument, a script for sh. The same can be done
 * with all built-in tools: each factory takes operations.
 */
import type { PluginAPI, ReadOperations } from "tau";

export default function (tau: PluginAPI): void {
  tau.registerFlag("ssh_read", {
    type: "string",
    description: "command that reaches the other machine",
  });
  tau.registerFlag("ssh_folder", {
    type: "string",
    default: "/",
    description: "folder there in which relative paths start",
  });
  const command = String(tau.getFlag("ssh_read") ?? "").split(/\s+/)
    .filter((word) => word !== "");
  if (command.length === 0) return;
  const cwd = String(tau.getFlag("ssh_folder"));

  const read = tau.createReadToolDefinition({
    operations: remoteFiles((script) => {
      const [program = "", ...args] = [...command, script];
      return tau.exec(program, args, { timeoutMs: 30_000 });
    }),
  });
  tau.registerTool({
    ...read,
    name: "ssh_read",
    label: "Read there",
    description: `${read.description} The file is on the machine that "${
      command.join(" ")
    }" reaches, not on this one; relative paths start in ${cwd}.`,
    promptSnippet: "Read a file of the other machine",
    promptGuidelines: [],
    execute: (toolCallId, params, signal, onUpdate, ctx) =>
      read.execute(toolCallId, params, signal, onUpdate, {
        cwd,
        ...(ctx.signal ? { signal: ctx.signal } : {}),
      }),
  });
}

/** How the script says what is wrong. */
const FAILURES: Record<number, new (path: string) => Error> = {
  44: Deno.errors.NotFound,
  45: Deno.errors.IsADirectory,
  46: Deno.errors.PermissionDenied,
};
const NOT_A_FILE = 47;

type Run = (script: string) => Promise<
  { stdout: string; stderr: string; code: number; truncated: boolean }
>;

function remoteFiles(run: Run): ReadOperations {
  return {
    async access(path) {
      const { stderr, code } = await run(
        `p=${quoted(path)}
[ -e "$p" ] || exit 44
[ ! -d "$p" ] || exit 45
[ -f "$p" ] || exit ${NOT_A_FILE}
[ -r "$p" ] || exit 46`,
      );
      const Failure = FAILURES[code];
      if (Failure) throw new Failure(path);
      if (code !== 0) throw new Error(failure(path, { stderr, code }));
    },
    async readFile(path) {
      const { stdout, stderr, code, truncated } = await run(
        `base64 < ${quoted(path)}`,
      );
      if (code !== 0) throw new Error(failure(path, { stderr, code }));
      if (truncated) throw new Error(`${path} is too large to be read there`);
      return Uint8Array.fromBase64(stdout);
    },
    async listNames(path, limit) {
      const { stdout } = await run(
        `ls -A ${quoted(path)} | head -n ${Math.trunc(limit)}`,
      );
      return stdout.split("\n").filter((name) => name !== "");
    },
  };
}

function failure(
  path: string,
  { stderr, code }: { stderr: string; code: number },
): string {
  if (code === NOT_A_FILE) return `${path} is no regular file`;
  return `Cannot read ${path} there: ${
    stderr.trim().slice(0, 500) || `exit code ${code}`
  }`;
}

/** One word for sh, whatever the model wrote. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
