import assert from "node:assert/strict";
import type { Api } from "../../src/model/model.ts";
import {
  readSession,
  type StoredSession,
} from "../../src/store/read_session.ts";
import { listSessions } from "../../src/store/session_list.ts";
import {
  type ProviderDoubleOptions,
  type RecordedRequest,
  startProviderDouble,
} from "./provider_double.ts";
import { putFiles } from "./put_files.ts";
import {
  runShell,
  runTau,
  type TauOptions,
  type TauProcess,
  type TauRun,
  withTau,
} from "./tau_process.ts";
import { inTempFolder } from "./temp_folder.ts";

/** Options of {@linkcode inPlace}. */
export interface PlaceOptions {
  /** The answers of the provider. */
  script: ProviderDoubleOptions["script"];
  /** Default: `openai-completions`. */
  api?: Api;
  /** The working folder below the root. Default: `work`. */
  work?: string;
  /** Files below the root. The home is the folder `home`. */
  files?: Record<string, string | Uint8Array>;
  /** Files of the folder `home/plugins`. */
  plugins?: Record<string, string>;
  /** Added to `home/settings.json`. */
  settings?: Record<string, unknown>;
  /** Added to the provider `lab` of the settings. */
  lab?: Record<string, unknown>;
  /** Variables of each run. */
  env?: Record<string, string>;
}

/** A working folder, a `TAU_HOME` and a provider, far from the checkout. */
export interface TauPlace {
  root: string;
  cwd: string;
  home: string;
  /** Variables that lead tau to the home and the provider. */
  env: Record<string, string>;
  /** The base URL of the provider. */
  url: string;
  requests: RecordedRequest[];
  /** Runs tau to its end. */
  tau(args: string[], options?: TauOptions): Promise<TauRun>;
  /** Runs `tau -p` to its end. */
  ask(args: string[], options?: TauOptions): Promise<TauRun>;
  /** Runs a bash script in which `tau` is the program. */
  shell(
    script: string,
    options?: TauOptions & { args?: string[] },
  ): Promise<TauRun>;
  /** Starts tau and lends it. */
  during(
    args: string[],
    use: (tau: TauProcess) => Promise<void>,
    options?: TauOptions,
  ): Promise<void>;
  /** Starts `tau rpc` with an open stdin and lends it. */
  rpc(
    args: string[],
    use: (tau: TauProcess) => Promise<void>,
  ): Promise<void>;
  /** Reads a request; negative places count from the last one. */
  request(place: number): RequestText;
  /** Paths of the stored sessions, the latest first. */
  files(): string[];
  /** The only session; fails where a line of it is damaged or torn. */
  only(): StoredSession & { path: string };
}

/**
 * Runs a test in a folder of its own. The provider is known to tau as `lab`,
 * whose model `small` is the default, and as `openai`. Fails when the provider
 * refused a request. The working folder has a file `note.txt`.
 */
export async function inPlace<Value>(
  options: PlaceOptions,
  test: (place: TauPlace) => Promise<Value>,
): Promise<Value> {
  const { script, api = "openai-completions", work = "work" } = options;
  await using double = startProviderDouble({ api, script });
  let value: Value | undefined;
  await inTempFolder(async (root) => {
    const cwd = `${root}/${work}`;
    const home = `${root}/home`;
    await Deno.mkdir(cwd, { recursive: true });
    await putFiles(root, filesOf({ ...options, api, work }, double.url));
    const env = {
      TAU_HOME: home,
      LAB_KEY: "sk-CANARY-lab",
      OPENAI_API_KEY: "sk-CANARY",
      OPENAI_BASE_URL: double.url,
      ...options.env,
    };
    const here = <Options extends TauOptions>(more: Options) => ({
      cwd,
      ...more,
      env: { ...env, ...more.env },
    });
    const files = () =>
      listSessions(`${home}/sessions`).map(({ file }) => file);
    const tau = (args: string[], more: TauOptions = {}) =>
      runTau(args, here(more));
    value = await test({
      root,
      cwd,
      home,
      env,
      url: double.url,
      requests: double.requests,
      tau,
      ask: (args, more) => tau(["-p", ...args], more),
      shell: (script, more = {}) => runShell(script, here(more)),
      during: (args, use, more = {}) => withTau(args, here(more), use),
      rpc: (args, use) =>
        withTau(["rpc", ...args], here({ stdin: "open" }), use),
      request: (place) => readRequest(double.requests.at(place)),
      files,
      only() {
        const [path, ...others] = files();
        assert(path !== undefined);
        assert.deepEqual(others, []);
        const stored = readSession(path);
        assert.equal(stored.damagedLines, 0);
        return { ...stored, path };
      },
    });
  });
  assert.deepEqual(double.requests.flatMap(({ fault }) => fault ?? []), []);
  return value as Value;
}

function filesOf(
  { api, work, plugins = {}, files = {}, settings = {}, lab = {} }:
    PlaceOptions,
  baseUrl: string,
): Record<string, string | Uint8Array> {
  const size = { contextWindow: 32_768, maxTokens: 321 };
  const provider = {
    ...{ baseUrl, api, apiKeyEnv: "LAB_KEY" },
    models: [{ id: "small", ...size }, {
      id: "deep",
      ...size,
      reasoning: true,
    }],
    ...lab,
  };
  return {
    [`${work}/note.txt`]: "alpha\n",
    "home/settings.json": JSON.stringify({
      defaultModel: "lab/small",
      providers: { lab: provider },
      ...settings,
    }),
    ...Object.fromEntries(
      Object.entries(plugins)
        .map(([path, text]) => [`home/plugins/${path}`, text]),
    ),
    ...files,
  };
}

/** A request of the completions format, read. */
export interface RequestText {
  /** The body as it was sent. */
  text: string;
  system: string;
  /** Texts of the messages of a role. */
  said(role: "user" | "assistant" | "tool"): string[];
  /** The text of the last message of a role. */
  last(role: "user" | "assistant" | "tool"): string;
  /** Names of the tools. */
  tools: string[];
}

interface BodyWire {
  messages?: { role: string; content: string | null | { text?: string }[] }[];
  tools?: { function: { name: string } }[];
}

/** Reads a request of the completions format; an absent one says nothing. */
export function readRequest(
  request: { text: string } | undefined,
): RequestText {
  const text = request?.text ?? "{}";
  const { messages = [], tools = [] } = JSON.parse(text) as BodyWire;
  const said = (wanted: string) =>
    messages.filter(({ role }) => role === wanted).map(({ content }) =>
      typeof content === "string"
        ? content
        : (content ?? []).map(({ text = "" }) => text).join("")
    );
  return {
    text,
    system: said("system").join("\n"),
    said,
    last: (role) => said(role).at(-1) ?? "",
    tools: tools.map((tool) => tool.function.name),
  };
}
