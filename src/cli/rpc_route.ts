import { buildCommand } from "@stricli/core";
import { conversationConflict } from "./conversation_conflict.ts";
import { goalConflict } from "./goal_flags.ts";
import type { RunFlags } from "./invocation.ts";
import {
  anyCommandAliases,
  type AnyCommandFlags,
  anyCommandFlags,
  invalid,
  type ParseContext,
} from "./route_parts.ts";
import { sharedRunFlags } from "./run_route.ts";
import { sessionConflict } from "./session_flags.ts";

/** `tau rpc`. */
export const rpcRoute = buildCommand<
  Omit<RunFlags, "print" | "output-format"> & AnyCommandFlags,
  [],
  ParseContext
>({
  func({ help, version, ...flags }) {
    const given = { ...flags, print: false };
    const conflict = sessionConflict(flags) ?? goalConflict(flags) ??
      conversationConflict(given);
    this.invocation = help || version
      ? { kind: help ? "help" : "version" }
      : conflict === undefined
      ? { kind: "rpc", flags: given }
      : invalid(conflict);
  },
  parameters: {
    flags: { ...sharedRunFlags, ...anyCommandFlags },
    aliases: {
      c: "continue",
      r: "resume",
      t: "tools",
      C: "cd",
      ...anyCommandAliases,
    },
  },
  docs: { brief: "talk to a program over stdin and stdout" },
});
