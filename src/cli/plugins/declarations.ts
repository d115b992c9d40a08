import text from "./declarations.txt" with { type: "text" };

/** What a plugin can import from `tau`, as one module declaration; made by `deno task declarations`. */
export const DECLARATIONS: string = text;
