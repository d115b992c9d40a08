/** A plugin to begin with; its tool has the name. It must pass `tau plugins check`. */
export function pluginTemplate(name: string): string {
  const tool = name.replaceAll("-", "_");
  return `// A plugin of tau: its default function is given the API and registers what it
// adds. \`tau plugins check\` says what is wrong with it; all that it can do is in
// the declarations that \`tau plugins types\` prints.
import type { PluginAPI } from "tau";

export default function (tau: PluginAPI): void {
  const { Type } = tau;

  tau.registerTool(tau.defineTool({
    name: ${JSON.stringify(tool)},
    label: ${JSON.stringify(labelOf(name))},
    // For the model: what the tool does, and when to use it.
    description: "Greets somebody by name.",
    // One line in the system prompt's list of tools.
    promptSnippet: "Greet somebody",
    // The arguments; \`params\` below has their types, and they are validated.
    parameters: Type.Object({
      who: Type.String({ description: "Whom to greet" }),
      times: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
    }),
    async execute(_toolCallId, { who, times = 1 }, signal, onUpdate) {
      const greetings: string[] = [];
      while (greetings.length < times) {
        // Stops when the run does. A tool that throws tells the model of it.
        signal?.throwIfAborted();
        greetings.push(\`Hello, \${who}!\`);
        // Progress is for people; the model sees the result only.
        const progress = \`\${greetings.length} of \${times}\`;
        await onUpdate?.({
          content: [{ type: "text", text: progress }],
          details: { greetings: [...greetings] },
        });
      }
      return {
        // For the model.
        content: [{ type: "text", text: greetings.join("\\n") }],
        // For programs that read the events of a run.
        details: { greetings },
      };
    },
  }));
}
`;
}

function labelOf(name: string): string {
  const words = name.replaceAll(/[-_]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
