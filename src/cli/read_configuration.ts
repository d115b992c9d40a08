import type { RunOptions } from "../host/run.ts";
import { loadSettings } from "../settings/load_settings.ts";
import { tauHome } from "../settings/tau_home.ts";
import { findProject } from "../settings/trust.ts";
import { UsageError } from "../settings/usage_error.ts";
import type { RunFlags } from "./invocation.ts";
import { pluginPlaces } from "./plugin_places.ts";
import { permissionChoice } from "./permission_flags.ts";
import { ruleChoice } from "./rule_flags.ts";

/** What the user's settings make of a run. */
export interface Configuration {
  options: Pick<
    RunOptions,
    | "defaultModel"
    | "providers"
    | "tools"
    | "excludeTools"
    | "bashTimeoutMs"
    | "maxRetries"
    | "compaction"
    | "context"
    | "rules"
    | "permissions"
    | "plugins"
    | "failOnDenied"
  >;
  /** Lines for stderr. */
  warnings: string[];
}

/**
 * Reads the settings of the user and, where it is trusted, of the project;
 * options of the command line go before both. Rejects with a {@linkcode UsageError}.
 */
export async function readConfiguration(
  flags: RunFlags,
  { env, attachments }: { env: Record<string, string>; attachments: string[] },
): Promise<Configuration> {
  const home = tauHome(env);
  const trust = trustOf(flags);
  const project = findProject({
    cwd: realFolder(flags.cd ?? "."),
    home,
    trust,
  });
  const folders = [home, project.folder].filter((folder) =>
    folder !== undefined
  );
  const { settings, rules, warnings } = await loadSettings(
    folders.map((folder) => `${folder}/settings.json`),
  );
  const { defaultModel, providers, tools, bash, retry, compaction, sandbox } =
    settings;
  return {
    options: {
      defaultModel,
      providers,
      // A profile that writes nothing has tools of its own.
      tools: flags.tools ??
        (flags.profile === "read-only" ? undefined : tools),
      excludeTools: flags["exclude-tools"],
      permissions: {
        ...permissionChoice(flags),
        unixSockets: sandbox?.allowUnixSockets,
      },
      bashTimeoutMs: bash?.timeoutS && bash.timeoutS * 1000,
      ...ruleChoice(flags, rules),
      maxRetries: flags["max-retries"] ?? retry?.maxRetries,
      compaction,
      plugins: pluginPlaces(flags, {
        project: project.folder,
        home,
        isProjectTrusted: project.isTrusted(),
      }),
      context: {
        attachments,
        systemPrompt: flags["system-prompt"],
        appendSystemPrompt: flags["append-system-prompt"],
        instructionFiles: !flags["no-context-files"],
        home,
        project: project.folder,
        isTrusted: project.isTrusted,
      },
    },
    warnings: project.notice ? [project.notice, ...warnings] : warnings,
  };
}

function trustOf(
  { trust, "no-trust": noTrust }: RunFlags,
): boolean | undefined {
  if (trust && noTrust) {
    throw new UsageError("Options --trust and --no-trust exclude each other");
  }
  return trust ? true : noTrust ? false : undefined;
}

/** The folder as it is; a wrong one is told of when the run starts. */
function realFolder(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    return path;
  }
}
