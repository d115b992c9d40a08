/** A fenced block of code in a page. */
export interface CodeBlock {
  /** The first word behind the fence; empty where there is none. */
  language: string;
  /** What else stands behind the fence. */
  words: string;
  code: string;
  /** The line of the page that the code begins on, from 1. */
  line: number;
  /** The HTML comments right before the block, without their marks. */
  comments: string[];
  /** The headings that the block stands under, the outermost first. */
  headings: string[];
}

/** Finds the fenced blocks of a Markdown page, in order. */
export function codeBlocks(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  const lines = markdown.split("\n");
  const headings: { depth: number; text: string }[] = [];
  let comments: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line.trim() === "") continue;
    const comment = /^\s*<!--/.test(line);
    if (comment) {
      const end = lines.findIndex((text, i) => i >= at && text.includes("-->"));
      if (end < 0) throw new Error(`Line ${at + 1}: a comment never ends`);
      const whole = lines.slice(at, end + 1).join("\n");
      comments.push(whole.replace(/^\s*<!--|-->.*$/g, "").trim());
      at = end;
      continue;
    }
    const fence = /^(?<indent>\s*)(?<marks>`{3,}|~{3,})(?<info>.*)$/
      .exec(line)?.groups as Fence | undefined;
    if (fence) {
      const end = lines.findIndex((text, i) => i > at && closes(text, fence));
      if (end < 0) throw new Error(`Line ${at + 1}: a block never ends`);
      const info = fence.info.trim();
      const [language = ""] = info.split(/\s+/);
      blocks.push({
        language,
        words: info.slice(language.length).trim(),
        code: lines.slice(at + 1, end)
          .map((text) => withoutIndent(text, fence.indent) + "\n").join(""),
        line: at + 2,
        comments,
        headings: headings.map(({ text }) => text),
      });
      at = end;
    }
    comments = [];
    const [, marks = "", text = ""] = /^(#+)\s+(.*)$/.exec(line) ?? [];
    if (marks === "") continue;
    while ((headings.at(-1)?.depth ?? 0) >= marks.length) headings.pop();
    headings.push({ depth: marks.length, text: text.trim() });
  }
  return blocks;
}

interface Fence {
  indent: string;
  marks: string;
  info: string;
}

function closes(line: string, { marks }: Fence): boolean {
  const text = line.trim();
  return text.length >= marks.length &&
    text === (marks[0] ?? "").repeat(text.length);
}

/** A block in a list is indented as the list is. */
function withoutIndent(line: string, indent: string): string {
  return line.startsWith(indent) ? line.slice(indent.length) : line.trimStart();
}
