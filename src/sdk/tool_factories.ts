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
import type {
  PlainEditOperations,
  PlainGrepOperations,
  PlainReadOperations,
  PlainWriteOperations,
} from "../operations/plain_operations.ts";
import type { AnyToolDefinition } from "./tool_definition.ts";

/** The start of a command. */
export interface CommandSpawn {
  /** The command line that the shell runs. */
  command: string;
  /** The folder that it starts in, absolute. */
  cwd: string;
  /** Variables that are added to the environment of the command. */
  env: Record<string, string>;
}

/** Options of the factories of shell tools. */
export interface ShellToolChoice<Operations> {
  /** Runs the commands. Default: on this machine, as the built-in tool does. */
  operations?: Operations;
  /** Changes how a command is started. Called right before it starts. */
  spawnHook?: (spawn: CommandSpawn) => CommandSpawn | Promise<CommandSpawn>;
}

/**
 * Makes definitions of the built-in tools, to change them or to point them at
 * another machine. All that is not given is that of the run: what it may touch,
 * environment, limits.
 */
export interface ToolFactories {
  /** Returns the definition of `read`, with operations of your own if you give them. */
  createReadToolDefinition(
    options?: { operations?: ReadOperations | PlainReadOperations },
  ): AnyToolDefinition;
  /** Returns the definition of `write`, with operations of your own if you give them. */
  createWriteToolDefinition(
    options?: { operations?: WriteOperations | PlainWriteOperations },
  ): AnyToolDefinition;
  /** Returns the definition of `edit`, with operations of your own if you give them. */
  createEditToolDefinition(
    options?: { operations?: EditOperations | PlainEditOperations },
  ): AnyToolDefinition;
  /** Returns the definition of `bash`, with operations of your own if you give them. */
  createBashToolDefinition(
    options?: ShellToolChoice<BashOperations>,
  ): AnyToolDefinition;
  /** Returns the definition of `powershell`, with operations of your own if you give them. */
  createPowerShellToolDefinition(
    options?: ShellToolChoice<PowerShellOperations>,
  ): AnyToolDefinition;
  /** Returns the definition of `grep`, with operations of your own if you give them. */
  createGrepToolDefinition(
    options?: { operations?: GrepOperations | PlainGrepOperations },
  ): AnyToolDefinition;
  /** Returns the definition of `find`, with operations of your own if you give them. */
  createFindToolDefinition(
    options?: { operations?: FindOperations },
  ): AnyToolDefinition;
  /** Returns the definition of `ls`, with operations of your own if you give them. */
  createLsToolDefinition(
    options?: { operations?: LsOperations },
  ): AnyToolDefinition;
}
