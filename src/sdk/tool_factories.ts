import type {
  BashOperations,
  PowerShellOperations,
} from "../operations/bash_operations.ts";
import type {
  EditOperations,
  ReadOperations,
  WriteOperations,
} from "../operations/file_operations.ts";
import type {
  FindOperations,
  GrepOperations,
  LsOperations,
} from "../operations/search_operations.ts";
import type { AnyToolDefinition } from "./tool_definition.ts";

/** What a command is started with. */
export interface CommandSpawn {
  /** What the shell runs. */
  command: string;
  /** Absolute. */
  cwd: string;
  /** Added to the environment of the operations. */
  env: Record<string, string>;
}

/** What a plugin may change of a shell tool. */
export interface ShellToolChoice<Operations> {
  /** Default: this machine, as the built-in tool has it. */
  operations?: Operations;
  /** Changes how a command is started; runs last. */
  spawnHook?: (spawn: CommandSpawn) => CommandSpawn | Promise<CommandSpawn>;
}

/**
 * Makes the built-in tools anew, to change them or to point them at another
 * machine. What is not said is as the run has it: policy, environment, limits.
 */
export interface ToolFactories {
  /** `read`, over operations of your own. */
  createReadToolDefinition(
    options?: { operations?: ReadOperations },
  ): AnyToolDefinition;
  /** `write`, over operations of your own. */
  createWriteToolDefinition(
    options?: { operations?: WriteOperations },
  ): AnyToolDefinition;
  /** `edit`, over operations of your own. */
  createEditToolDefinition(
    options?: { operations?: EditOperations },
  ): AnyToolDefinition;
  /** `bash`, over operations of your own. */
  createBashToolDefinition(
    options?: ShellToolChoice<BashOperations>,
  ): AnyToolDefinition;
  /** `powershell`, over operations of your own. */
  createPowerShellToolDefinition(
    options?: ShellToolChoice<PowerShellOperations>,
  ): AnyToolDefinition;
  /** `grep`, over operations of your own. */
  createGrepToolDefinition(
    options?: { operations?: GrepOperations },
  ): AnyToolDefinition;
  /** `find`, over operations of your own. */
  createFindToolDefinition(
    options?: { operations?: FindOperations },
  ): AnyToolDefinition;
  /** `ls`, over operations of your own. */
  createLsToolDefinition(
    options?: { operations?: LsOperations },
  ): AnyToolDefinition;
}
