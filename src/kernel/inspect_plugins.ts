import type { PluginSetup } from "../protocol/kernel_messages.ts";
import type { HostChannel } from "./host_channel.ts";
import { loadPlugins, type PluginParts } from "./load_plugins.ts";

/**
 * Loads plugins and does nothing else with them: no session begins, so that
 * none of their handlers runs. Each is told of as it is loaded; a prompt is
 * answered at once by the end of its run. Resolves when the host wants no more.
 */
export async function inspectPlugins(
  plugins: PluginSetup,
  parts: PluginParts & { channel: HostChannel },
): Promise<void> {
  const { channel } = parts;
  const closed = Promise.withResolvers<void>();
  await loadPlugins(plugins, parts);
  channel.serve(({ type }) => {
    if (type === "close") closed.resolve();
    if (type !== "prompt") return;
    channel.send({ type: "end", outcome: { kind: "completed" } })
      .catch(closed.reject);
  });
  await Promise.race([closed.promise, channel.closed]);
}
