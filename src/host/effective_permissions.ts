import { PROTECTED_NAMES } from "../policy/path_policy.ts";
import type { PermissionPolicy } from "../policy/permission_policy.ts";
import type { PermissionRule } from "../policy/permission_rule.ts";
import type {
  GrantedCapabilities,
  SandboxReport,
} from "../protocol/result_schema.ts";
import { confinementOf } from "./confinement.ts";
import { NO_MODEL } from "./no_model.ts";
import { openOutputFolder } from "./output_folder.ts";
import { realFolder } from "./real_folder.ts";
import type { RunOptions } from "./run_options.ts";
import { RunRecord } from "./run_record.ts";
import { SessionHost } from "./session_host.ts";

/** Permissions of a run with these options. */
export interface EffectivePermissions {
  cwd: string;
  sandbox: SandboxReport;
  granted: GrantedCapabilities;
  /** Existing paths that are hidden from commands and refused by file tools. */
  secrets: readonly string[];
  /** True where commands read the home folder, but for the secrets. */
  commandsReadHome: boolean;
  /** Never written by file tools, in any folder. */
  protectedNames: readonly string[];
  /** Those that exist; read-only for confined commands. */
  protectedPaths: readonly string[];
  rules: readonly Pick<PermissionRule, "effect" | "text" | "source">[];
}

/** Time for a kernel to start and to try what it must not do. */
const LIMIT_MS = 20_000;

/**
 * Starts a kernel as a run would, and has it try what it must not do. No model
 * is asked. Rejects with a `UsageError` for options that no run would take.
 */
export async function effectivePermissions(
  options: RunOptions,
  { log }: { log(line: string): void },
): Promise<EffectivePermissions> {
  const cwd = realFolder(options.cwd);
  const { permissions = {} } = options;
  const wanted = permissions.sandbox === "off" ? "off" : "auto";
  const record = new RunRecord({ sessionId: crypto.randomUUID(), cwd });
  const confinement = confinementOf(
    // A required sandbox is shown as found; its absence ends nothing here.
    { ...options, permissions: { ...permissions, sandbox: wanted } },
    cwd,
  );
  const outputs = openOutputFolder(undefined);
  try {
    const server = new SessionHost(options, {
      listener: { emit: () => {}, log, stop: new AbortController().signal },
      record,
      chosen: { model: NO_MODEL },
      source: () => new Promise(() => {}),
      outputDir: outputs.path,
      confinement,
    });
    try {
      server.start();
      await server.probe(LIMIT_MS);
      return { cwd, ...shown(record, server.policy), rules: rulesOf(options) };
    } finally {
      await server.close();
    }
  } finally {
    outputs.close();
  }
}

function shown(
  { sandbox, granted }: RunRecord,
  { secrets, protectedPaths, children }: PermissionPolicy,
): Omit<EffectivePermissions, "cwd" | "rules"> {
  return {
    sandbox,
    granted,
    secrets,
    commandsReadHome: children.seesHome,
    protectedNames: PROTECTED_NAMES,
    protectedPaths,
  };
}

/** In the order in which they are looked at. */
function rulesOf({ rules = [] }: RunOptions): EffectivePermissions["rules"] {
  return (["deny", "allow", "ask"] as const).flatMap((wanted) =>
    rules.filter(({ effect }) => effect === wanted)
      .map(({ effect, text, source }) => ({ effect, text, source }))
  );
}
