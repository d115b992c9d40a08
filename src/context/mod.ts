// What a run is told beside its prompt: instruction files, skills, prompt
// templates, attached files. Read on the host's side with the user's rights. It
// knows no model, no tool and no terminal.
export type { PromptCommand } from "./list_commands.ts";
export { readContext } from "./read_context.ts";
export type { ContextOptions, ReadContext } from "./read_context.ts";
export type { PromptContext } from "../session/mod.ts";
