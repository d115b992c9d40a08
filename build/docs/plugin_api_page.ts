import ts from "typescript";
import { formatted } from "../formatted.ts";
import { anchorOf } from "./anchor_of.ts";
import {
  type Declared,
  declaredModule,
  membersOf,
  namesIn,
  parentsOf,
} from "./declared_module.ts";
import { MEMBER_GROUPS, TYPE_GROUPS } from "./page_outline.ts";

const INTRODUCTION = `# Plugin API

<!-- Made by \`deno task docs\` from the declarations that \`tau plugins types\` prints; do not edit. -->

A plugin is a file whose default export is a function. tau calls it with one
argument, \`tau\`; this page lists all members of it, and all types that they
take and return. [Plugins](plugins.md) says how to write, check and share one,
and [Library](library.md) what else can be imported from \`tau\`.

\`\`\`ts
import type { PluginAPI } from "tau";

export default function (tau: PluginAPI): void {
  tau.on("tool_call", (event) => {
    const isPush = tau.isToolCallEventType("bash", event) &&
      event.input.command.includes("git push");
    return isPush ? { block: true, reason: "Ask the user to push" } : undefined;
  });
}
\`\`\`

Editors take the same types from what \`tau plugins types\` prints.
`;

/** Characters of a member that fit before its comment. */
const SHORT = 110;

/** Makes docs/plugin-api.md from the declarations of `tau`. Throws where one of them has no place on the page. */
export async function makePluginApiPage(declarations: string): Promise<string> {
  return await formatted(new Page(declaredModule(declarations)).print(), "md");
}

/** A part of the page with a heading. */
interface Part {
  /** 2 or 3. */
  depth: number;
  title: string;
  paragraphs: string[];
  /** Headings below it that the table of contents has. */
  inner?: string[];
}

class Page {
  readonly #module: Map<string, Declared>;
  readonly #parts: Part[] = [];

  constructor(module: Map<string, Declared>) {
    this.#module = module;
    const listed = TYPE_GROUPS.flatMap(({ names }) => names);
    fail("is not on the page", missing(this.#reached(), new Set(listed)));
    this.#addTau();
    this.#addEvents();
    for (const { title, text = "", names } of TYPE_GROUPS) {
      const sections = names.map((name) => this.#section(this.#named(name)));
      this.#parts.push({
        depth: 2,
        title,
        paragraphs: [text, ...sections],
        inner: names,
      });
    }
  }

  print(): string {
    const contents = this.#parts.map(({ depth, title, inner = [] }) => {
      const below = inner.map((name) => `[\`${name}\`](#${anchorOf(name)})`);
      const more = below.length === 0 ? "" : `: ${below.join(", ")}`;
      return `${"  ".repeat(depth - 2)}- [${title}](#${
        anchorOf(title)
      })${more}`;
    });
    const parts = this.#parts.map(({ depth, title, paragraphs }) =>
      [`${"#".repeat(depth)} ${title}`, ...paragraphs]
        .filter((part) => part !== "").join("\n\n")
    );
    return [INTRODUCTION, "## Contents\n", ...contents, "", parts.join("\n\n")]
      .join("\n");
  }

  #addTau(): void {
    const { comment, node } = this.#named("PluginAPI");
    const members = this.#allMembers(node);
    const groups = MEMBER_GROUPS.flatMap(({ names }) => names);
    fail(
      "is in no group of tau's members",
      missing(members.keys(), new Set(groups)),
    );
    this.#parts.push({
      depth: 2,
      title: "The object `tau`",
      paragraphs: [this.#prose(comment)],
    });
    for (const { title, names, text = "" } of MEMBER_GROUPS) {
      const sections = names.map((name) => {
        const member = members.get(name);
        if (!member) throw new Error(`tau has no ${name}`);
        return [
          `#### tau.${name}`,
          code(`tau.${member.code.replace(/^readonly /, "")}`),
          this.#prose(member.comment),
          this.#links(member.node),
        ].filter((part) => part !== "").join("\n\n");
      });
      this.#parts.push({
        depth: 3,
        title,
        paragraphs: [text, ...sections],
        inner: names.map((name) => `tau.${name}`),
      });
    }
  }

  #addEvents(): void {
    const results = new Map(
      membersOf(this.#named("PluginEventResults").node)
        .map((result) => [result.name, result]),
    );
    const events = membersOf(this.#named("PluginEvents").node);
    const rows = events.map(({ name, comment }) => {
      const result = results.get(name);
      return `| ${link(name)} | ${this.#line(comment)} | ${
        result ? "yes" : ""
      } |`;
    });
    const table = [
      "| event | when | decides |",
      "| --- | --- | --- |",
      ...rows,
    ].join("\n");
    const sections = events.map((event) =>
      this.#event(event, results.get(event.name))
    );
    this.#parts.push({
      depth: 2,
      title: "The events",
      paragraphs: [
        this.#prose(this.#named("PluginEvents").comment),
        this.#prose(this.#named("PluginEventHandler").comment),
        this.#prose(this.#named("PluginEventResults").comment),
        table,
        ...sections,
      ],
    });
  }

  #event(event: Declared, result: Declared | undefined): string {
    const type = typeOf(event);
    const named = this.#module.get(type.getText());
    const fields = membersOf(named?.node ?? type)
      .filter(({ name }) => name !== "type");
    const parts = [
      `### ${event.name}`,
      this.#prose(event.comment),
      fields.length === 0
        ? "The event has only its `type`."
        : `The event${named ? `, a ${link(named.name)},` : ""} has:`,
      this.#list(fields),
    ];
    if (result) parts.push(...this.#result(result));
    parts.push(this.#links(event.node, ...(result ? [result.node] : [])));
    return parts.filter((part) => part !== "").join("\n\n");
  }

  /** The result that a handler of an event may return. */
  #result(result: Declared): string[] {
    const type = typeOf(result);
    const members = membersOf(type);
    const comment = this.#prose(result.comment);
    if (members.length > 0) {
      return [
        "A handler may return an object with:",
        this.#list(members),
        comment,
      ];
    }
    return type.getText().includes("\n")
      ? ["A handler may return:", code(type.getText()), comment]
      : [`A handler may return \`${type.getText()}\`: ${lowerFirst(comment)}`];
  }

  /** A declaration with its members. */
  #section({ name, comment, code: text, node }: Declared): string {
    const members = membersOf(node).filter(({ code }) => code !== "#private;");
    const parents = parentsOf(node).map((parent) => parent.getText());
    const parts = [`### ${name}`, this.#prose(comment)];
    if (parents.includes("Error")) parts.push("An `Error` with:");
    else if (parents.length > 0) {
      const names = parents.map((parent) =>
        this.#isShown(parent) ? link(parent) : `\`${parent}\``
      );
      parts.push(
        `It has all of ${names.join(" and of ")}${
          members.length > 0 ? ", and:" : "."
        }`,
      );
    } else if (members.length === 0 && saysMore(text)) parts.push(code(text));
    parts.push(this.#list(members), this.#links(node));
    return parts.filter((part) => part !== "").join("\n\n");
  }

  /** Members one below the other, each with its comment. */
  #list(members: Declared[]): string {
    return members.map(({ code: text, comment }) => {
      const line = oneLine(text);
      const said = this.#line(comment);
      return line.length <= SHORT
        ? `- \`${line}\`${said === "" ? "" : `: ${said}`}`
        : `- ${said}\n\n  ${code(text).replaceAll("\n", "\n  ")}\n`;
    }).join("\n");
  }

  /** Where the types that code names are described. */
  #links(...nodes: ts.Node[]): string {
    const names = new Set(nodes.flatMap((node) => [...namesIn(node)]));
    for (const node of nodes) {
      // A type that names itself.
      if (ts.isModuleBlock(node.parent)) {
        names.delete((node as ts.DeclarationStatement).name?.getText() ?? "");
      }
    }
    const links = [...names].filter((name) => this.#isShown(name)).map(link);
    return links.length === 0 ? "" : `Types: ${links.join(", ")}.`;
  }

  #prose(comment: string): string {
    return comment.replace(
      /\{@link(?:code|plain)?\s+([\w.]+)\}/g,
      (_, name: string) => {
        if (name.startsWith("PluginAPI.")) {
          return link(name.replace("PluginAPI", "tau"));
        }
        return this.#isShown(name) ? link(name) : `\`${name}\``;
      },
    );
  }

  #line(comment: string): string {
    return this.#prose(comment).replace(/\s+/g, " ").replaceAll("|", "\\|");
  }

  #isShown(name: string): boolean {
    return TYPE_GROUPS.some(({ names }) => names.includes(name));
  }

  #named(name: string): Declared {
    const found = this.#module.get(name);
    if (!found) throw new Error(`${name} is not declared`);
    return found;
  }

  /** Members of an interface with those that it inherits, by their names. */
  #allMembers(node: ts.Node): Map<string, Declared> {
    const inherited = parentsOf(node).flatMap((parent) => [
      ...this.#allMembers(this.#named(parent.expression.getText()).node),
    ]);
    return new Map([
      ...inherited,
      ...membersOf(node).map((member) => [member.name, member] as const),
    ]);
  }

  /** Names of the declarations that a plugin meets, from its function on and from what it can import. */
  #reached(): Set<string> {
    const listed =
      TYPE_GROUPS.find(({ title }) => title === "Functions to import")?.names ??
        [];
    const reached = new Set(["PluginFactory", "ToolError", ...listed]);
    // The set grows while it is gone through.
    for (const name of reached) {
      const found = this.#module.get(name);
      if (!found || OF_TYPEBOX.has(name)) continue;
      for (const other of namesIn(found.node)) {
        if (this.#module.has(other)) reached.add(other);
      }
    }
    return new Set([...reached].filter((name) => !SHOWN_APART.has(name)));
  }
}

/** What these are made of is described by TypeBox. */
const OF_TYPEBOX = new Set(["Type", "TSchema", "Static"]);

/** Have parts of the page of their own. */
const SHOWN_APART = new Set([
  "PluginAPI",
  "ToolFactories",
  "PluginEvents",
  "PluginEventResults",
]);

function missing(names: Iterable<string>, known: Set<string>): string[] {
  return [...names].filter((name) => !known.has(name));
}

function fail(what: string, names: string[]): void {
  if (names.length === 0) return;
  throw new Error(
    `${names.join(", ")} ${what}: see build/docs/page_outline.ts`,
  );
}

/** The type of a property. */
function typeOf({ name, node }: Declared): ts.TypeNode {
  const { type } = node as ts.PropertySignature;
  if (!type) throw new Error(`${name} has no type`);
  return type;
}

function link(name: string): string {
  return `[\`${name}\`](#${anchorOf(name)})`;
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

/** False for code that repeats the name only, and for names that have no meaning outside. */
function saysMore(text: string): boolean {
  return !/\b\w+_\d+\b|\{\s*\}$/.test(text);
}

function oneLine(text: string): string {
  return text.replace(/\s*;?$/, "").replace(/\s+/g, " ")
    .replace(/([([<]) /g, "$1")
    .replace(/,? ([)\]>])(?!=)/g, "$1")
    .replaceAll("; }", " }")
    .replaceAll("=>", " => ").replace(/ +=> +/g, " => ");
}

function code(text: string): string {
  // What stands behind a member of a type.
  const indent = Math.min(
    ...text.split("\n").slice(1).filter((line) => line.trim() !== "")
      .map((line) => line.search(/\S/)),
  );
  const lines = text.replace(/;$/, "").split("\n").map((line, at) =>
    at === 0 || !Number.isFinite(indent) ? line : line.slice(indent)
  );
  return `\`\`\`ts\n${lines.join("\n")}\n\`\`\``;
}
