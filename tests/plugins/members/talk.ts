/** Uses what a plugin can use where somebody answers questions. */
import type { PluginAPI } from "tau";

export default function (tau: PluginAPI): void {
  const steered = Promise.withResolvers<void>();

  tau.registerCommand("ask", {
    async handler(args, { ui }) {
      const answers = [
        args,
        await ui.confirm("Confirm", "really?"),
        await ui.select("Select", ["one", "two"]),
        await ui.input("Input", "a word"),
        await ui.editor("Editor", "draft"),
      ];
      tau.appendEntry("answers", answers.map((one) => one ?? null));
    },
  });

  tau.registerCommand("where", {
    handler(_args, ctx) {
      tau.appendEntry("where", {
        hasUI: ctx.hasUI,
        mode: ctx.mode,
        thinkingLevel: ctx.thinkingLevel,
        isIdle: ctx.isIdle(),
        isTrusted: ctx.isProjectTrusted(),
        usage: { ...ctx.getContextUsage() },
      });
    },
  });

  tau.registerCommand("wait", {
    async handler(_args, ctx) {
      steered.resolve();
      await ctx.waitForIdle();
      ctx.ui.notify("idle again", "warning");
    },
  });

  tau.registerCommand("reload", {
    handler: (_args, ctx) => ctx.reload(),
  });

  tau.registerCommand("leave", {
    handler(_args, ctx) {
      ctx.shutdown();
    },
  });

  tau.registerCommand("shorten", {
    handler(_args, ctx) {
      ctx.compact({ instructions: "Keep names." });
    },
  });

  tau.registerTool({
    name: "hold",
    label: "Hold",
    description: "Ends when the user has said something.",
    parameters: tau.Type.Object({}),
    async execute(_toolCallId, _params, _signal, onUpdate) {
      onUpdate?.({ content: [{ type: "text", text: "holding" }] });
      await steered.promise;
      return { content: [{ type: "text", text: "held" }] };
    },
  });

  tau.registerTool({
    name: "stop",
    label: "Stop",
    description: "Ends the run.",
    parameters: tau.Type.Object({}),
    execute(_toolCallId, _params, _signal, _onUpdate, ctx) {
      return new Promise((_resolve, reject) => {
        ctx.signal.addEventListener("abort", () => {
          tau.appendEntry("aborted", true);
          reject(ctx.signal.reason);
        });
        ctx.abort();
      });
    },
  });
}
