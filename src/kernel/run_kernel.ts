import type { AnyToolDefinition } from "../sdk/mod.ts";
import { composeCheck } from "./compose_check.ts";
import { composeSession } from "./compose_session.ts";
import { composeTools, UnknownToolError } from "./compose_tools.ts";
import { HostChannel } from "./host_channel.ts";
import { inlineImages } from "./inline_images.ts";
import { toolRenderers } from "./run_events.ts";

/**
 * Serves one run over stdin and stdout and resolves when all of it is written.
 * `more` are tools beside the built-in ones.
 */
export async function runKernel(
  more: readonly AnyToolDefinition[] = [],
): Promise<void> {
  const { channel, setup } = await HostChannel.open();
  try {
    const tools = composeTools(setup, channel, more);
    const { cwd, render, updates } = setup;
    const renderers = render && toolRenderers(tools, { cwd, ...render });
    const session = composeSession(setup, tools, {
      streamModel: channel.streamModel,
      emit: channel.emitter({ renderers, updates }),
      runCheck: composeCheck(setup, channel),
      sessionFile: () => channel.sessionFile,
    }, await channel.history(setup.historyLength));
    const outcome = await session.run(
      await inlineImages(setup.prompt),
      channel.signal,
    );
    await channel.send({ type: "end", outcome });
  } catch (error) {
    if (!(error instanceof UnknownToolError)) throw error;
    const { message } = error;
    await channel.send({
      type: "end",
      outcome: { kind: "usage_error", message },
    });
  }
}
