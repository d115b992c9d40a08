/**
 * Asks before a command that can do harm. Where nobody can answer, as in a
 * pipeline, such a command does not run, and the model hears why.
 *
 *     tau --plugin plugins/permission_gate.ts
 *
 * Patterns catch accidents. They are no wall: what a run may touch is decided
 * by its sandbox, and rules of the settings (`permissions`) look into a command.
 */
import type { PluginAPI } from "tau";

const DANGEROUS: readonly [pattern: RegExp, harm: string][] = [
  [/\brm\s+(?:-\w*[rf]|--recursive|--force)/, "removes files for good"],
  [/\bgit\s+push\b.*\s(?:-f\b|--force)/, "overwrites what others pushed"],
  [/\bgit\s+(?:reset\s+--hard|clean\s+-\w*f)/, "throws changes away"],
  [/\b(?:sudo|doas)\b/, "runs with the rights of another user"],
  [/\b(?:mkfs|dd)\b/, "writes to devices"],
  [/\b(?:curl|wget)\b.*\|\s*(?:ba|z)?sh\b/, "runs what it downloads"],
];

export default function (tau: PluginAPI): void {
  tau.on("tool_call", async (event, ctx) => {
    const isCommand = tau.isToolCallEventType("bash", event) ||
      tau.isToolCallEventType("powershell", event);
    if (!isCommand) return;
    const { command } = event.input;
    const harm = DANGEROUS.find(([pattern]) => pattern.test(command))?.[1];
    if (harm === undefined) return;
    if (!ctx.hasUI) {
      return {
        block: true,
        reason:
          `The command ${harm}, and nobody can be asked about it in this run. Do it another way, or tell the user what is needed`,
      };
    }
    const isAllowed = await ctx.ui.confirm(
      "Run this command?",
      `It ${harm}:\n${command}`,
    );
    if (isAllowed) return;
    return {
      block: true,
      reason: "The user did not allow it. Ask what the user wants instead",
    };
  });
}
