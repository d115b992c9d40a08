/**
 * Keeps the file tools from writing certain files, wherever a link leads.
 *
 *     tau --plugin plugins/protected_paths.ts --plugin-flag protected_paths=.env,migrations
 *
 * Each name protects files and folders of that name at any depth. Commands of
 * bash are not looked at; `permissions` in the settings can deny paths to
 * them, too.
 */
import type { PluginAPI } from "tau";
import { basename, dirname, join, resolve } from "node:path";

export default function (tau: PluginAPI): void {
  tau.registerFlag("protected_paths", {
    type: "string",
    default: ".env,package-lock.json,deno.lock",
    description: "names that are not written, with commas between",
  });
  const names = String(tau.getFlag("protected_paths")).split(",")
    .map((name) => name.trim()).filter((name) => name !== "");

  // A handler that throws blocks the call: what cannot be looked at is not written.
  tau.on("tool_call", async (event, ctx) => {
    const isWrite = tau.isToolCallEventType("write", event) ||
      tau.isToolCallEventType("edit", event);
    if (!isWrite) return;
    const path = resolve(ctx.cwd, event.input.path);
    const real = await realPath(path);
    const name = names.find((name) =>
      [path, real].some((one) => one.split(/[\\/]/).includes(name))
    );
    if (name === undefined) return;
    return {
      block: true,
      reason:
        `${event.input.path} is protected (${name}): leave it as it is, or tell the user what to change`,
    };
  });
}

/** Where a path leads, also one that does not exist yet. */
async function realPath(path: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch (error) {
    const parent = dirname(path);
    if (!(error instanceof Deno.errors.NotFound) || parent === path) {
      throw error;
    }
    return join(await realPath(parent), basename(path));
  }
}
