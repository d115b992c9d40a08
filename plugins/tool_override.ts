/**
 * Takes the place of a built-in tool: this `read` is the built-in one, keeps a
 * log of what the model has read, and refuses lock files, which are long and
 * say little.
 *
 *     tau --plugin plugins/tool_override.ts
 */
import { type PluginAPI, ToolError } from "tau";

const LOCK_FILE = /(?:^|[\\/])(?:package-lock\.json|[\w.-]+\.lock)$/;

export default function (tau: PluginAPI): void {
  const read = tau.createReadToolDefinition();
  tau.registerTool(
    {
      ...read,
      execute(toolCallId, params, signal, onUpdate, ctx) {
        const { path } = params as { path: string };
        if (LOCK_FILE.test(path)) {
          throw new ToolError(
            `${path} is a lock file; grep it for the package that you need`,
          );
        }
        tau.appendEntry("read_log", { path });
        return read.execute(toolCallId, params, signal, onUpdate, ctx);
      },
    },
    // Without this a name that is taken is refused.
    { override: true },
  );
}
