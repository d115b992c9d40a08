import { type ProviderDouble, startProviderDouble } from "./provider_double.ts";
import { putFiles } from "./put_files.ts";
import { runTau, type TauRun } from "./tau_process.ts";
import { inTempFolder } from "./temp_folder.ts";

/** A working folder, a `TAU_HOME` and a provider, far from the checkout. */
export interface PluginPlace {
  root: string;
  cwd: string;
  double: ProviderDouble;
  tau(args: string[], env?: Record<string, string>): Promise<TauRun>;
}

/** Runs a test in a place with plugins; `plugins` is the folder `TAU_HOME/plugins`. */
export async function withPluginPlace(
  { script, plugins = {}, files = {}, settings = {} }: {
    script: Parameters<typeof startProviderDouble>[0]["script"];
    plugins?: Record<string, string>;
    files?: Record<string, string | Uint8Array>;
    settings?: Record<string, unknown>;
  },
  test: (place: PluginPlace) => Promise<void>,
): Promise<void> {
  await using double = startProviderDouble({
    api: "openai-completions",
    script,
  });
  await inTempFolder(async (root) => {
    const lab = {
      baseUrl: double.url,
      api: "openai-completions",
      apiKeyEnv: "LAB_KEY",
      models: [
        { id: "small", contextWindow: 32_768, maxTokens: 321 },
        { id: "deep", contextWindow: 32_768, maxTokens: 321, reasoning: true },
      ],
    };
    await putFiles(root, {
      "work/note.txt": "alpha\n",
      "home/settings.json": JSON.stringify({
        defaultModel: "lab/small",
        providers: { lab },
        ...settings,
      }),
      ...Object.fromEntries(
        Object.entries(plugins).map((
          [path, text],
        ) => [`home/plugins/${path}`, text]),
      ),
      ...files,
    });
    const cwd = `${root}/work`;
    await test({
      root,
      cwd,
      double,
      tau: (args, env) =>
        runTau(["-p", ...args], {
          cwd,
          env: { TAU_HOME: `${root}/home`, LAB_KEY: "canary-key", ...env },
        }),
    });
  });
}

/** Names of the tools of a request. */
export function toolsIn(body: unknown): string[] {
  const { tools = [] } = body as { tools?: { function: { name: string } }[] };
  return tools.map((tool) => tool.function.name);
}
