import { anchorOf } from "../../build/docs/anchor_of.ts";

/** A link or an image of a page. */
export interface PageLink {
  /** As it is written. */
  target: string;
  /** The line of the page, from 1. */
  line: number;
}

const LINKS = [
  // [text](target "title"), ![text](target)
  /\]\(\s*<?([^\s)>]+)>?(?:\s+"[^"]*")?\s*\)/g,
  // [name]: target
  /^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?\s*$/g,
  /<(?:a|img|source)\b[^>]*?\s(?:href|src|srcset)="([^"\s]+)/g,
];

/** Finds the links of a Markdown page, those in code left out. */
export function pageLinks(markdown: string): PageLink[] {
  const links: PageLink[] = [];
  for (const [at, text] of proseLines(markdown).entries()) {
    for (const pattern of LINKS) {
      for (const [, target = ""] of text.matchAll(pattern)) {
        links.push({ target, line: at + 1 });
      }
    }
  }
  return links;
}

/** Finds the names that links to a part of a page can have, as GitHub makes them. */
export function pageAnchors(markdown: string): Set<string> {
  const anchors = new Set<string>();
  const lines = proseLines(markdown, { keepCode: true });
  for (const line of lines) {
    const [, heading] = /^#{1,6}\s+(.*?)\s*#*$/.exec(line) ?? [];
    if (heading !== undefined) {
      const anchor = anchorOf(heading);
      let name = anchor;
      for (let n = 1; anchors.has(name); n++) name = `${anchor}-${n}`;
      anchors.add(name);
    }
    for (
      const [, name = ""] of line.matchAll(/<[^>]*\s(?:id|name)="([^"]+)"/g)
    ) {
      anchors.add(name);
    }
  }
  return anchors;
}

/** The lines of a page, where fenced blocks, comments and, by default, code in a line are empty. */
function proseLines(
  markdown: string,
  { keepCode = false }: { keepCode?: boolean } = {},
): string[] {
  const empty = (text: string) => text.replace(/[^\n]/g, "");
  const prose = markdown
    .replace(/^(\s*)(`{3,}|~{3,})[^\n]*\n[^]*?^\s*\2[`~]*\s*$/gm, empty)
    .replace(/<!--[^]*?-->/g, empty);
  return (keepCode ? prose : prose.replace(/(`+)[^`][^]*?\1(?!`)/g, empty))
    .split("\n");
}
