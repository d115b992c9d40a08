import { UsageError } from "../../settings/usage_error.ts";
import { tauHome } from "../../settings/tau_home.ts";
import type { CommandLine } from "../options/command_table.ts";
import type { Surroundings } from "../program.ts";
import { terminalText } from "../terminal_text.ts";
import { pluginTemplate } from "./plugin_template.ts";

/** A name that a tool can have, too: the plugin's tool is named after it. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/**
 * `tau plugins new NAME [--project] [--dir]`: writes a plugin to begin with and
 * says what comes next. Never replaces a file. Returns the exit code; throws a
 * {@linkcode UsageError}.
 */
export async function newPlugin(
  name: string,
  { project: inProject, dir: asFolder }: CommandLine<"plugins">["given"],
  { console, env }: Pick<Surroundings, "console" | "env">,
): Promise<number> {
  if (!NAME.test(name)) {
    throw new UsageError(
      `A plugin's name has 1 to 64 letters, digits, _ and -, and begins with a letter; got ${
        JSON.stringify(name)
      }`,
    );
  }
  const folder = `${inProject ? projectFolder() : homeFolder(env)}/plugins`;
  const taken = [`${name}.ts`, `${name}.js`, name]
    .map((file) => `${folder}/${file}`).find(exists);
  if (taken !== undefined) {
    throw new UsageError(`There is already ${JSON.stringify(taken)}`);
  }
  const path = asFolder ? `${folder}/${name}/mod.ts` : `${folder}/${name}.ts`;
  write(path, pluginTemplate(name));
  const next = [
    "Change it as you like, then",
    `  tau plugins check ${shellWord(path)}`,
    ...(inProject ? ["  tau trust"] : []),
    `  tau -p "use the tool ${name.replaceAll("-", "_")}"`,
    "tau plugins types prints what an editor needs to know of tau.",
  ];
  console.stdout.write(terminalText(`${path}\n`));
  for (const line of next) console.stderr.write(terminalText(`${line}\n`));
  return await console.settle(0);
}

function projectFolder(): string {
  return `${Deno.realPathSync(".")}/.tau`;
}

function homeFolder(env: Record<string, string>): string {
  const home = tauHome(env);
  if (home !== undefined) return home;
  throw new UsageError(
    "Cannot write the plugin: set TAU_HOME or HOME to an absolute path, or use --project",
  );
}

function write(path: string, text: string): void {
  try {
    Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(path, text, { createNew: true });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`Cannot write ${JSON.stringify(path)}: ${why}`, {
      cause,
    });
  }
}

/** Links that lead nowhere included. */
function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
