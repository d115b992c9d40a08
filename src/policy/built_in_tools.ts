/** The built-in tools, in the order in which they are told: what their rules are about, and when a run has them. */
const BUILT_IN_TOOLS = {
  read: { about: "path", reads: true, byDefault: true },
  bash: { about: "command", reads: false, byDefault: true },
  edit: { about: "path", reads: false, byDefault: true },
  write: { about: "path", reads: false, byDefault: true },
  grep: { about: "path", reads: true, byDefault: false },
  find: { about: "path", reads: true, byDefault: false },
  ls: { about: "path", reads: true, byDefault: false },
  powershell: { about: "command", reads: false, byDefault: false },
} as const;

/** The name of a built-in tool. */
export type BuiltInToolName = keyof typeof BUILT_IN_TOOLS;

/** All of them. */
export const BUILT_IN_NAMES = Object.keys(
  BUILT_IN_TOOLS,
) as BuiltInToolName[];

const all = Object.entries(BUILT_IN_TOOLS);
const named = (entries: typeof all): readonly string[] =>
  entries.map(([name]) => name);

/** Tools whose patterns are about paths. */
export const PATH_TOOLS = named(
  all.filter(([, { about }]) => about === "path"),
);

/** Tools whose patterns are about commands. */
export const COMMAND_TOOLS = named(
  all.filter(([, { about }]) => about === "command"),
);

/** Tools that write nothing and run nothing. */
export const READING_TOOLS = named(all.filter(([, { reads }]) => reads));

/** Tools that are active when nobody chose any. */
export const DEFAULT_TOOLS = named(all.filter(([, tool]) => tool.byDefault));
