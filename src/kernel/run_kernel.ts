import type { RunSetup } from "../protocol/kernel_messages.ts";
import type { AnyToolDefinition } from "../sdk/tool_definition.ts";
import { loadImplementations } from "../tools/factories.ts";
import { composeKernel, kernelParts } from "./compose_kernel.ts";
import { UnknownToolError } from "./compose_tools.ts";
import { giveUpPermissions } from "./give_up_permissions.ts";
import { HostChannel } from "./host_channel.ts";
import { PluginFlagError } from "./plugin_flag_values.ts";
import { SessionServer } from "./session_server.ts";
import { composeUserShell } from "./user_shell.ts";

/**
 * Serves one session over stdin and stdout and resolves when the host is gone.
 * `more` are tools beside the built-in ones.
 */
export async function runKernel(
  more: readonly AnyToolDefinition[] = [],
): Promise<void> {
  if (Deno.build.standalone) giveUpPermissions(Deno.args);
  const opened = await HostChannel.open();
  if (!opened) {
    // A host that says nothing wants all of it compiled.
    await loadImplementations();
    return;
  }
  const { channel, setup } = opened;
  // What the model will call is loaded while it thinks.
  channel.asked.then(loadImplementations).catch(() => {});
  channel.serveProbe(async (targets) => {
    const { probeRings } = await import("./probe_rings.ts");
    return await probeRings(targets, setup);
  });
  try {
    await serve(channel, setup, more);
  } catch (error) {
    const isUsage = error instanceof UnknownToolError ||
      error instanceof PluginFlagError;
    if (!isUsage) throw error;
    const { message } = error;
    await channel.send({
      type: "end",
      outcome: { kind: "usage_error", message },
    });
  }
}

async function serve(
  channel: HostChannel,
  setup: RunSetup,
  more: readonly AnyToolDefinition[],
): Promise<void> {
  const history = await channel.history(setup.historyLength);
  const parts = kernelParts(setup, channel, { more, history });
  if (setup.plugins?.inspection) {
    const { inspectPlugins } = await import("./inspect_plugins.ts");
    return await inspectPlugins(setup.plugins, { ...parts, channel });
  }
  const { session, plugins, gate } = await composeKernel(parts);
  const runShell = composeUserShell(setup, channel);
  const server = new SessionServer(channel, {
    session,
    runShell,
    plugins: plugins?.plugins,
  });
  await plugins?.plugins.join({ ...plugins, session, gate, server });
  await server.serve();
}
