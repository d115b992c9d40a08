/** A part of the page of the plugin API. */
export interface OutlinePart {
  title: string;
  /** Stands below the title, in Markdown. */
  text?: string;
  /** Declarations, in the order of the page. */
  names: string[];
}

/** The members of `tau`, in groups. */
export const MEMBER_GROUPS: OutlinePart[] = [
  {
    title: "Hear events",
    names: ["on", "isToolCallEventType"],
  },
  {
    title: "Add and choose tools",
    names: [
      "registerTool",
      "defineTool",
      "Type",
      "getActiveTools",
      "setActiveTools",
      "getAllTools",
    ],
  },
  {
    title: "Add commands and options",
    names: ["registerCommand", "registerFlag", "getFlag"],
  },
  {
    title: "Say something, store something",
    names: ["sendMessage", "sendUserMessage", "appendEntry"],
  },
  {
    title: "Run programs, ask servers, change files",
    names: ["exec", "fetch", "withFileMutationQueue"],
  },
  { title: "Talk to other plugins", names: ["events"] },
  {
    title: "Change built-in tools",
    text:
      "Each of these returns a definition for `tau.registerTool`: with another name it is one more tool, with `{ override: true }` it takes the place of the built-in one.",
    names: [
      "createReadToolDefinition",
      "createWriteToolDefinition",
      "createEditToolDefinition",
      "createBashToolDefinition",
      "createPowerShellToolDefinition",
      "createGrepToolDefinition",
      "createFindToolDefinition",
      "createLsToolDefinition",
    ],
  },
];

/** All else that a plugin meets, in groups. */
export const TYPE_GROUPS: OutlinePart[] = [
  {
    title: "Contexts",
    names: [
      "PluginContext",
      "PluginToolContext",
      "PluginCommandContext",
      "ToolContext",
      "SessionView",
      "PluginSessionEntry",
      "ContextUsage",
      "PluginMode",
      "StalePluginError",
    ],
  },
  {
    title: "Questions to the user",
    names: ["PluginUi", "DialogOptions"],
  },
  {
    title: "Tool definitions",
    names: [
      "ToolDefinition",
      "AgentToolResult",
      "ToolResultFields",
      "DetailsField",
      "AgentToolUpdate",
      "ToolError",
      "ToolExecutionMode",
      "ConstrainedSampling",
      "RegisterToolOptions",
      "ToolSummary",
      "AnyToolDefinition",
    ],
  },
  {
    title: "Schemas",
    names: ["Type", "TSchema", "Static", "JsonSchema"],
  },
  {
    title: "How calls and results are shown",
    names: ["Theme", "ThemeColor", "RenderContext", "RenderOptions"],
  },
  {
    title: "Commands, options, messages, programs and servers",
    names: [
      "PluginCommand",
      "PluginFlag",
      "PluginMessage",
      "SendOptions",
      "PluginEventBus",
      "ProgramOptions",
      "ProgramResult",
      "PluginFetchOptions",
      "PluginFetchResult",
    ],
  },
  {
    title: "Operations",
    text:
      "What the built-in tools do to files and processes. Implement one to point a tool at another machine, or at a tree in memory. Those of this machine, named `Local…`, can do more: read in pieces, replace in one step, refuse what was changed.",
    names: [
      "ReadOperations",
      "WriteOperations",
      "EditOperations",
      "LsOperations",
      "FindOperations",
      "GrepOperations",
      "LocalReadOperations",
      "LocalWriteOperations",
      "LocalEditOperations",
      "LocalGrepOperations",
      "BashOperations",
      "PowerShellOperations",
      "ShellToolChoice",
      "CommandSpawn",
      "ExecOptions",
      "ExecResult",
      "OutputFile",
      "OpenedFile",
      "FileStamp",
      "FileKind",
      "DirectoryEntry",
      "WriteFileOptions",
      "WriteOutcome",
    ],
  },
  {
    title: "Messages and models",
    names: [
      "AgentMessage",
      "Message",
      "UserMessage",
      "AssistantMessage",
      "ToolResultMessage",
      "SystemMessage",
      "CustomAgentMessages",
      "UserContent",
      "AssistantContent",
      "TextContent",
      "ImageContent",
      "ThinkingContent",
      "ToolCall",
      "Tool",
      "MessageOrigin",
      "AssistantMessageEvent",
      "PluginModel",
      "Model",
      "Api",
      "ThinkingLevel",
      "StopReason",
      "ModelErrorKind",
      "Usage",
      "ToolCallEventOf",
      "JsonValue",
      "JsonObject",
    ],
  },
  {
    title: "Functions to import",
    text:
      'A plugin in TypeScript or JavaScript can import these: `import { defineTool, truncateHead } from "tau"`. `defineTool`, `isToolCallEventType` and `Type` are members of `tau`, too.',
    names: [
      "defineTool",
      "isToolCallEventType",
      "truncateHead",
      "truncateTail",
      "truncateLine",
      "plainTheme",
      "terminalTheme",
    ],
  },
  {
    title: "Other types",
    names: [
      "PluginFactory",
      "PluginEventName",
      "PluginEventHandler",
      "PluginEventResult",
      "PluginEvent",
      "ToolCallEvent",
      "ToolResultEvent",
      "BuiltInToolInputs",
      "TruncationOptions",
      "TruncationResult",
    ],
  },
];
