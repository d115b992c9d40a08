import { codeBlocks } from "./markdown_blocks.ts";

/** The way to a goal that a page describes. */
export interface FirstSteps {
  /** The blocks, as they stand on the page. */
  code: string;
  /** What is joined by `&&`, `;` or `|` counts as several. */
  commands: string[];
}

/** Finds the `sh` blocks behind a comment such as `<!-- steps: answer, plugin -->`, in order. */
export function firstSteps(markdown: string, goal: string): FirstSteps {
  const blocks = codeBlocks(markdown).filter(({ language, comments }) =>
    language === "sh" && comments.some((comment) => goalsOf(comment).has(goal))
  );
  const code = blocks.map(({ code }) => code).join("");
  return { code, commands: commandsIn(code) };
}

function goalsOf(comment: string): Set<string> {
  const [, goals = ""] = /^steps:\s*(.*)$/.exec(comment) ?? [];
  return new Set(goals.split(",").map((goal) => goal.trim()));
}

function commandsIn(code: string): string[] {
  const lines = code.replaceAll("\\\n", " ").split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  return lines.flatMap((line) =>
    (line.match(/(?:"[^"]*"|'[^']*'|[^;&|"'])+/g) ?? [])
      .map((part) => part.trim()).filter((part) => part !== "")
  );
}
