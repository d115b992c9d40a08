import type { NetPolicy } from "../policy/net_policy.ts";
import type { Mount } from "./mount_plan.ts";

/** The descriptor that brings the filter of system calls. */
const FILTER_DESCRIPTOR = 9;

/** Settings of bubblewrap around a command. */
export interface BubblewrapOptions {
  /** Its path. */
  bubblewrap: string;
  mounts: readonly Mount[];
  cwd: string;
  net: NetPolicy;
  /** A file that holds the filter of system calls; none where there is none for this processor. */
  filterFile: string | undefined;
}

/**
 * The command line that runs `command` in a sandbox: namespaces of its own, no
 * privilege, dead when its parent dies. `sh` opens the filter, since Deno hands
 * no descriptor on, and becomes bubblewrap.
 */
export function bubblewrapCommand(
  command: readonly string[],
  { bubblewrap, mounts, cwd, net, filterFile }: BubblewrapOptions,
): string[] {
  const args = [
    bubblewrap,
    "--unshare-all",
    ...(net === "all" ? ["--share-net"] : []),
    "--die-with-parent",
    "--new-session",
    ...["--cap-drop", "ALL"],
    ...mounts.flatMap(mountArguments),
    ...["--chdir", cwd],
  ];
  if (filterFile === undefined) return [...args, "--", ...command];
  return [
    ...["/bin/sh", "-c"],
    `file=$1; shift; exec "$@" ${FILTER_DESCRIPTOR}<"$file"`,
    ...["sh", filterFile],
    ...args,
    ...["--seccomp", String(FILTER_DESCRIPTOR), "--", ...command],
  ];
}

function mountArguments({ path, kind }: Mount): string[] {
  switch (kind) {
    case "read-only":
      return ["--ro-bind", path, path];
    case "writable":
      return ["--bind", path, path];
    case "empty folder":
      return ["--tmpfs", path];
    case "closed file":
      // A device cannot be opened on a mount that allows none.
      return ["--ro-bind", "/dev/null", path];
    case "processes":
      return ["--proc", path];
    case "devices":
      return ["--dev", path];
  }
}
