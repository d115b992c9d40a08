import type { Message } from "../model/message.ts";

/**
 * Messages of a host or plugin that no provider knows. Extend it by
 * declaration merging, one property a type; each type has its own `role`, and
 * `convertToLlm` decides what the model sees of it.
 */
// deno-lint-ignore no-empty-interface -- filled by declaration merging
export interface CustomAgentMessages {}

/** A message of a transcript. */
export type AgentMessage =
  | Message
  | CustomAgentMessages[keyof CustomAgentMessages];
