import type { PermissionPolicy } from "../policy/permission_policy.ts";
import type { GrantedCapabilities } from "../protocol/result_schema.ts";

/** Modules of the kernel. */
export interface KernelProgram {
  /** A module: `.ts` when the program runs from source, `.js` in a bundle. */
  entry: URL;
  /** The `deno.json` of the source; absent in a bundle, which needs none. */
  config?: URL;
  /**
   * Argument that makes a kernel of a compiled program, its own runtime: it is
   * started again with this argument, and is told the flags to do what it can.
   */
  selfArgument?: string;
  /** It has tools beside the built-in ones, which it declares before it serves. */
  bringsTools?: boolean;
  /** Changes how it is started, for who tests one ring without the others. */
  alterLaunch?(launch: KernelLaunch): KernelLaunch;
}

/** Launch of a kernel: its policy, and the parts of it that Deno and the system enforce. */
export interface KernelLaunch {
  policy: PermissionPolicy;
  /** The whole environment of the kernel and of what it starts. */
  environment: Record<string, string>;
  /** Variables of the kernel alone, where it loads plugins. */
  pluginVariables: Record<string, string>;
  /** For the kernel alone: where it finds its compiled code. */
  cacheVariables: Record<string, string>;
  /** Makes that code for the runs that follow, where it is not there. */
  warm(): Promise<void>;
  /** Deno's. */
  flags: string[];
  /** Folders with room for something that the run must not touch. */
  hiddenFolders: string[];
  /** Grants, as the record tells them. */
  granted: GrantedCapabilities;
  /** The command that runs another one confined. */
  confine(command: readonly string[]): string[];
  /** Removes what only the start needed. */
  close(): void;
  /** Removes all that it has on the disk. */
  end(): void;
}
