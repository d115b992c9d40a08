import { decideAccess } from "../policy/path_policy.ts";
import type { PermissionPolicy } from "../policy/permission_policy.ts";
import type { ProbeTargets } from "../protocol/kernel_messages.ts";
import type { ProbeReport } from "../protocol/result_schema.ts";

/** Things that a run must not touch, to be tried. */
export interface PlacedTargets {
  targets: ProbeTargets;
  /** Returns the kernel's report of them, corrected by what is seen here. */
  verified(report: ProbeReport): ProbeReport;
  /** Takes all of it away. */
  close(): void;
}

/**
 * Puts a file into the first of the folders that has room for it, and opens a
 * port on the loopback address. What the policy allows is not to be tried.
 */
export function placeTargets(
  { tools, net }: PermissionPolicy,
  folders: readonly string[],
): PlacedTargets {
  const folder = makeFolder(folders);
  const file = `${folder}/canary`;
  const target = `${folder}/written`;
  const mayRead = folder === undefined || !decideAccess(tools, "read", file);
  const mayWrite = folder === undefined ||
    !decideAccess(tools, "write", target);
  if (!mayRead) Deno.writeTextFileSync(file, "canary\n");
  const listener = net === "all" ? undefined : listen();
  return {
    targets: {
      ...(mayRead ? {} : { file }),
      ...(mayWrite ? {} : { target }),
      ...(listener ? { port: (listener.addr as Deno.NetAddr).port } : {}),
    },
    verified(report) {
      const { system } = report;
      if (mayWrite || system.write !== "held" || !exists(target)) return report;
      return { ...report, system: { ...system, write: "open" } };
    },
    close() {
      listener?.close();
      if (folder !== undefined) Deno.removeSync(folder, { recursive: true });
    },
  };
}

function makeFolder(folders: readonly string[]): string | undefined {
  for (const dir of folders) {
    try {
      const path = Deno.makeTempDirSync({ dir, prefix: "tau-canary-" });
      return Deno.realPathSync(path);
    } catch {
      // It is not there, or read-only.
    }
  }
  return undefined;
}

function listen(): Deno.TcpListener | undefined {
  try {
    // Who connects waits in the queue: it is enough that the system lets it.
    return Deno.listen({ hostname: "127.0.0.1", port: 0 });
  } catch {
    return undefined;
  }
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
