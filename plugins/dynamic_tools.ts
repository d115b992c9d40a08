/**
 * Tools that the model gets when it asks for them: a hundred tools that are
 * rarely needed cost nothing then. `count_words` is registered from the start
 * and not active; `sha256` does not exist before it is asked for.
 *
 *     tau --plugin plugins/dynamic_tools.ts
 */
import { defineTool, type PluginAPI, Type } from "tau";

const text = Type.Object({ text: Type.String() });

const countWords = defineTool({
  name: "count_words",
  label: "Count words",
  description: "Counts the words of a text.",
  parameters: text,
  execute: (_toolCallId, { text }) =>
    said(String(text.split(/\s+/).filter((word) => word !== "").length)),
});

const sha256 = defineTool({
  name: "sha256",
  label: "SHA-256",
  description: "The SHA-256 digest of a text, in hexadecimal.",
  parameters: text,
  async execute(_toolCallId, { text }) {
    const bytes = new TextEncoder().encode(text);
    const digest = await crypto.subtle.digest("SHA-256", bytes);
    return await said(new Uint8Array(digest).toHex());
  },
});

export default function (tau: PluginAPI): void {
  tau.registerTool(countWords);

  tau.on("session_start", () => {
    tau.setActiveTools(
      tau.getActiveTools().filter((name) => name !== countWords.name),
    );
  });

  tau.registerTool({
    name: "more_tools",
    label: "More tools",
    description:
      "Gives you more tools, from your next answer on: `text` counts words, `digest` makes checksums.",
    promptSnippet: "Get tools for texts and checksums",
    parameters: Type.Object({
      kind: Type.Union([Type.Literal("text"), Type.Literal("digest")]),
    }),
    execute(_toolCallId, { kind }) {
      const tool = kind === "text" ? countWords : sha256;
      if (!tau.getAllTools().some(({ name }) => name === tool.name)) {
        tau.registerTool(tool);
      }
      tau.setActiveTools([...tau.getActiveTools(), tool.name]);
      return said(`You can call ${tool.name} now`);
    },
  });
}

function said(text: string) {
  return Promise.resolve({ content: [{ type: "text" as const, text }] });
}
