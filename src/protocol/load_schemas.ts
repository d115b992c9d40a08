/** The schemas of all that a run prints as JSON. Loaded when they are asked for: a run needs none of them. */
export function loadSchemas(): Promise<typeof import("./schemas.ts")> {
  return import("./schemas.ts");
}
