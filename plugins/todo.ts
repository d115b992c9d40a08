/**
 * A list of things to do that the model keeps. It lives in the session, as
 * entries that the model does not see: `tau --continue` has it again, and a
 * fork has its own.
 *
 *     tau --plugin plugins/todo.ts        then: /todo
 */
import { type PluginAPI, type PluginContext, ToolError, Type } from "tau";

interface Item {
  text: string;
  isDone: boolean;
}

const ENTRY = "todo";
const MAX_ITEMS = 200;

export default function (tau: PluginAPI): void {
  let items: Item[] = [];

  tau.on("session_start", (_event, ctx) => {
    items = latestItems(ctx);
  });

  tau.registerTool({
    name: "todo",
    label: "To do",
    description:
      "Keeps a list of things to do. `add` appends an item, `done` marks item `number` (counted from 1), `list` shows all.",
    promptSnippet: "Keep a list of what is to be done",
    promptGuidelines: ["Write down the steps of longer work with todo."],
    parameters: Type.Object({
      action: Type.Union([
        Type.Literal("add"),
        Type.Literal("done"),
        Type.Literal("list"),
      ]),
      text: Type.Optional(Type.String({ maxLength: 1000 })),
      number: Type.Optional(Type.Integer({ minimum: 1 })),
    }),
    // Two calls of one batch would both start from the same list.
    executionMode: "sequential",
    execute(_toolCallId, { action, text, number }) {
      if (action === "add") {
        if (!text) throw new ToolError("add needs a text");
        if (items.length >= MAX_ITEMS) throw new ToolError("The list is full");
        items = [...items, { text, isDone: false }];
      } else if (action === "done") {
        if (!number || number > items.length) {
          throw new ToolError(`done needs a number from 1 to ${items.length}`);
        }
        items = items.map((item, index) =>
          index === number - 1 ? { ...item, isDone: true } : item
        );
      }
      if (action !== "list") tau.appendEntry(ENTRY, { items: toJson(items) });
      return Promise.resolve({
        content: [{ type: "text", text: shown(items) }],
        details: { items: toJson(items) },
      });
    },
  });

  tau.registerCommand("todo", {
    description: "show the list of things to do",
    handler: (_args, ctx) => ctx.ui.notify(shown(items)),
  });
}

/** The list as the session last kept it. */
function latestItems({ sessionManager }: PluginContext): Item[] {
  const entry = sessionManager.getEntries().findLast((entry) =>
    entry.type === "custom" && entry.customType === ENTRY
  );
  if (entry?.type !== "custom") return [];
  const { items } = entry.data as unknown as { items: Item[] };
  return items;
}

function toJson(items: readonly Item[]) {
  return items.map(({ text, isDone }) => ({ text, isDone }));
}

function shown(items: readonly Item[]): string {
  if (items.length === 0) return "Nothing to do";
  return items.map(({ text, isDone }, index) =>
    `${index + 1}. [${isDone ? "x" : " "}] ${text}`
  ).join("\n");
}
