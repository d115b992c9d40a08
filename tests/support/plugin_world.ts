import type {
  PluginDiagnostic,
  PluginFault,
} from "../../src/plugin_host/plugin_diagnostic.ts";
import {
  PluginHost,
  type PluginHostOptions,
} from "../../src/plugin_host/plugin_host.ts";
import type { PluginServices } from "../../src/plugin_host/plugin_services.ts";
import type { PluginDialogAnswer } from "../../src/sdk/plugin_ui.ts";
import type { ToolFactories } from "../../src/sdk/tool_factories.ts";
import { putFiles } from "./put_files.ts";
import { inTempFolder } from "./temp_folder.ts";

/** What plugins of a test are loaded with. */
export interface PluginWorldOptions {
  /** By their paths below `plugins/`. */
  plugins: Record<string, string>;
  /** Paths below the test's folder that are named one by one. */
  named?: string[];
  builtInTools?: string[];
  deadlineMs?: number;
  handlerDeadlineMs?: number;
  flagValues?: Map<string, boolean | string>;
  /** Whether somebody answers. Default false. */
  hasUI?: boolean;
  ask?(signal: AbortSignal | undefined): Promise<PluginDialogAnswer>;
  services?: Partial<PluginServices>;
}

/** Plugins that are loaded, and what came of it. */
export interface PluginWorld {
  host: PluginHost;
  folder: string;
  diagnostics: PluginDiagnostic[];
  faults: PluginFault[];
  /** What plugins did to the session, in order. */
  calls: unknown[][];
  /** `+name` when code of a plugin is entered, `-name` when it is left. */
  marks: string[];
  /** How often the tools have changed. */
  toolChanges(): number;
}

/** Loads plugins from a fresh folder, lends them to the test, and unloads them. */
export async function withPlugins(
  options: PluginWorldOptions,
  test: (world: PluginWorld) => Promise<void>,
): Promise<void> {
  await inTempFolder(async (folder) => {
    await Deno.mkdir(`${folder}/plugins`);
    await putFiles(`${folder}/plugins`, options.plugins);
    await Deno.mkdir(`${folder}/copies`);
    const world = createWorld(folder, options);
    await world.host.load();
    await test(world);
  });
}

function createWorld(
  folder: string,
  options: PluginWorldOptions,
): PluginWorld {
  const diagnostics: PluginDiagnostic[] = [];
  const faults: PluginFault[] = [];
  const calls: unknown[][] = [];
  const marks: string[] = [];
  let toolChanges = 0;
  const note = (name: string) => (...args: unknown[]) => {
    calls.push([name, ...args]);
  };
  const services: PluginServices = {
    session: {
      cwd: folder,
      mode: "print",
      hasUI: options.hasUI ?? false,
      model: {
        id: "m",
        name: "M",
        api: "openai-completions",
        provider: "p",
        input: ["text"],
        reasoning: false,
        contextWindow: 1000,
        maxTokens: 100,
      },
      thinkingLevel: "off",
      signal: undefined,
      sessionManager: {
        getSessionId: () => "s",
        getSessionFile: () => undefined,
        getEntries: () => [],
      },
      isProjectTrusted: () => false,
      isIdle: () => true,
      hasPendingMessages: () => false,
      abort: note("abort"),
      shutdown: note("shutdown"),
      compact: note("compact"),
      getContextUsage: () => undefined,
      getSystemPrompt: () => "prompt",
      activeTools: () => ["read"],
      setActiveTools: note("setActiveTools"),
      allTools: () => [],
      sendMessage: note("sendMessage"),
      sendUserMessage: note("sendUserMessage"),
      appendEntry: note("appendEntry"),
      executeTool: (call) => {
        calls.push(["executeTool", call.parentToolCallId, call.toolName]);
        return Promise.resolve({ content: [{ type: "text", text: "done" }] });
      },
      waitForIdle: () => Promise.resolve(),
    },
    factories: {} as ToolFactories,
    ask: (_dialog, signal) =>
      options.ask?.(signal) ?? Promise.resolve(undefined),
    notify: note("notify"),
    exec: (command, args) => {
      calls.push(["exec", command, args]);
      const stdout = "out";
      return Promise.resolve({
        stdout,
        stderr: "",
        code: 0,
        killed: false,
        truncated: false,
      });
    },
    fetch: () => Promise.reject(new Error("no network")),
    withFileMutationQueue: (_path, change) => change(),
    enter: (plugin) => {
      marks.push(`+${plugin}`);
      return () => marks.push(`-${plugin}`);
    },
    ...options.services,
  };
  const host: PluginHostOptions = {
    places: {
      paths: (options.named ?? []).map((path) => `${folder}/${path}`),
      folders: [`${folder}/plugins`],
    },
    services,
    builtInTools: options.builtInTools ?? ["read", "bash"],
    flagValues: options.flagValues,
    copies: `${folder}/copies`,
    deadlineMs: options.deadlineMs,
    handlerDeadlineMs: options.handlerDeadlineMs,
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    onFault: (fault) => faults.push(fault),
    onTools: () => toolChanges++,
  };
  return {
    host: new PluginHost(host),
    folder,
    diagnostics,
    faults,
    calls,
    marks,
    toolChanges: () => toolChanges,
  };
}

/** The text of a plugin with one tool, which answers with `answer`. */
export function toolPlugin(name: string, answer = name, options = ""): string {
  return `export default function (tau) {
  tau.registerTool({
    name: ${JSON.stringify(name)},
    description: "A tool",
    parameters: tau.Type.Object({}),
    async execute() {
      return { content: [{ type: "text", text: ${JSON.stringify(answer)} }] };
    },
  }${options});
}
`;
}
