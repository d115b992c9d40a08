/**
 * Uses what a plugin can use where nobody answers questions. What can only be
 * read goes into the result of the tool `probe`, which the model reads.
 */
import type { AgentToolResult, PluginAPI } from "tau";

export default function (tau: PluginAPI): void {
  tau.registerFlag("greeting", { type: "string", default: "hello" });
  tau.registerFlag("server", { type: "string" });
  const { Type } = tau;

  tau.on("tool_call", (event) => {
    if (!tau.isToolCallEventType("read", event)) return;
    const isPrivate = event.input.path === "private.txt";
    return isPrivate ? { block: true, reason: "not that one" } : undefined;
  });

  tau.registerTool(tau.defineTool({
    name: "probe",
    label: "Probe",
    description: "Says what it sees.",
    parameters: Type.Object({ n: Type.Integer({ minimum: 7 }) }),
    async execute(_toolCallId, { n }, signal, _onUpdate, ctx) {
      const order: string[] = [];
      const change = (name: string) =>
        tau.withFileMutationQueue(`${ctx.cwd}/note.txt`, async () => {
          order.push(`${name} begins`);
          await Promise.resolve();
          order.push(`${name} ends`);
        });
      await Promise.all([change("a"), change("b")]);

      const hadPending = ctx.hasPendingMessages();
      tau.sendMessage({ customType: "hint", content: "said by the plugin" });
      tau.sendUserMessage("said for the user", { deliverAs: "followUp" });
      tau.appendEntry("kept", { n });
      tau.events.emit("ping", { n });

      const before = tau.getActiveTools();
      const promptBefore = ctx.getSystemPrompt();
      tau.registerTool({
        name: "late",
        label: "Late",
        description: "Comes late.",
        parameters: Type.Object({}),
        execute: () => said("late"),
      });
      tau.setActiveTools(["probe", "late", "read"]);
      const url = String(tau.getFlag("server"));
      return said(JSON.stringify({
        greeting: tau.getFlag("greeting"),
        cwd: ctx.cwd,
        mode: ctx.mode,
        hasUI: ctx.hasUI,
        model: ctx.model,
        thinkingLevel: ctx.thinkingLevel,
        isTrusted: ctx.isProjectTrusted(),
        isIdle: ctx.isIdle(),
        pending: [hadPending, ctx.hasPendingMessages()],
        usage: ctx.getContextUsage(),
        prompts: [promptBefore, ctx.getSystemPrompt()],
        session: ctx.sessionManager.getSessionId(),
        file: ctx.sessionManager.getSessionFile(),
        entries: ctx.sessionManager.getEntries().map((entry) =>
          entry.type === "custom" ? entry.customType : entry.message.role
        ),
        environment: ctx.sessionEnvironment,
        signals: [ctx.signal === signal, ctx.signal.aborted],
        order,
        before,
        after: tau.getActiveTools(),
        all: tau.getAllTools(),
        exec: await tau.exec("printf", ["%s", "out"]),
        fetched: (await tau.fetch(url)).text(),
        tools: (await ctx.tools.read?.({ path: "note.txt" }))?.content,
        blocked: (await ctx.executeTool("read", { path: "private.txt" }))
          .content,
      }));
    },
  }));

  const far = { exec: farCommand };
  for (
    const definition of [
      tau.createReadToolDefinition(),
      tau.createWriteToolDefinition(),
      tau.createEditToolDefinition(),
      tau.createGrepToolDefinition(),
      tau.createFindToolDefinition(),
      tau.createLsToolDefinition(),
      tau.createBashToolDefinition({
        spawnHook: (spawn) => ({ ...spawn, command: `echo hooked` }),
      }),
      tau.createPowerShellToolDefinition({ operations: far }),
    ]
  ) tau.registerTool({ ...definition, name: `my_${definition.name}` });
}

async function farCommand(
  command: string,
  _cwd: string,
  { onData }: { onData(chunk: Uint8Array<ArrayBuffer>): void | Promise<void> },
): Promise<{ exitCode: number }> {
  await onData(new TextEncoder().encode(`far: ${command}`));
  return { exitCode: 0 };
}

function said(text: string): Promise<AgentToolResult> {
  return Promise.resolve({ content: [{ type: "text", text }] });
}
