import type { AgentToolUpdate } from "../agent/agent_tool.ts";
import type { BashOperations } from "../operations/bash_operations.ts";
import type { ShellToolChoice } from "../sdk/tool_factories.ts";
import type { FileStamps } from "./file_stamps.ts";

/** Settings of a tool that takes a path. */
export interface PathToolOptions<Operations> {
  /** Default: this machine's files, without a policy. */
  operations?: Operations;
  /** Stands in for `~`; without it such a path is refused. */
  homeDir?: string | undefined;
}

/** Settings of a tool that reads or writes one file. */
export interface FileToolOptions<Operations>
  extends PathToolOptions<Operations> {
  /** Shared by read, write and edit, so that write notices what others changed. Default: no file counts as changed. */
  stamps?: FileStamps;
}

/** Settings that all shell tools have. The default operations look for no processes that left their group. */
export interface ShellToolOptions extends ShellToolChoice<BashOperations> {
  /** Put before each command, on a line of its own. */
  commandPrefix?: string;
  /** Gives commands the variables of the session, such as `TAU_SESSION_ID`. Default true. */
  exposeSessionEnvironment?: boolean;
  /** Limit for commands that name none. Default 600 s. */
  timeoutMs?: number | undefined;
  /** Folder for outputs that are longer than the model gets to see. Default: the folder for temporary files. */
  outputDir?: string;
}

/** Everything that a call has beside its parameters: the tool's settings, and its place. */
export type CallOptions<Options extends { operations?: unknown }, Details> =
  & Options
  & {
    operations: NonNullable<Options["operations"]>;
    /** The working folder, absolute. */
    cwd: string;
    /** Variables of the session, for commands. */
    sessionEnvironment?: Record<string, string> | undefined;
    signal: AbortSignal | undefined;
    onUpdate: AgentToolUpdate<Details> | undefined;
  };
