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
import type { OpenedFile, PluginAPI, ReadOperations } from "tau";

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

/** How the scripts below say what is wrong. */
const MISSING = 44;
const FOLDER = 45;
const FORBIDDEN = 46;
const NOT_A_FILE = 47;

type Run = (script: string) => Promise<
  { stdout: string; stderr: string; code: number; truncated: boolean }
>;

function remoteFiles(run: Run): ReadOperations {
  return {
    async openFile(path) {
      const { stdout, stderr, code, truncated } = await run(
        `p=${quoted(path)}
[ -e "$p" ] || exit ${MISSING}
[ ! -d "$p" ] || exit ${FOLDER}
[ -f "$p" ] || exit ${NOT_A_FILE}
[ -r "$p" ] || exit ${FORBIDDEN}
base64 < "$p"`,
      );
      if (code === MISSING) throw new Deno.errors.NotFound(path);
      if (code === FOLDER) throw new Deno.errors.IsADirectory(path);
      if (code === FORBIDDEN) throw new Deno.errors.PermissionDenied(path);
      if (code !== 0) throw new Error(failure(path, { stderr, code }));
      if (truncated) throw new Error(`${path} is too large to be read there`);
      return opened(path, Uint8Array.fromBase64(stdout));
    },
    async listNames(path, limit) {
      const { stdout, code } = await run(
        `ls -A ${quoted(path)} | head -n ${Math.trunc(limit)}`,
      );
      if (code !== 0) throw new Deno.errors.NotFound(path);
      return stdout.split("\n").filter((name) => name !== "");
    },
  };
}

function opened(realPath: string, bytes: Uint8Array): OpenedFile {
  let at = 0;
  return {
    realPath,
    stamp: { size: bytes.length, mtimeMs: null },
    read(buffer) {
      if (at >= bytes.length) return Promise.resolve(null);
      const piece = bytes.subarray(at, at + buffer.length);
      buffer.set(piece);
      at += piece.length;
      return Promise.resolve(piece.length);
    },
    close() {},
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
