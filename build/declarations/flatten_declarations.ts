import ts from "typescript";
import type { Declarations } from "./declaration_files.ts";

/**
 * Makes one module declaration of all that the entry exports and of what those
 * types are made of. Nothing else of the files gets in, and names that files
 * share are told apart by a number.
 */
export function flattenDeclarations(
  moduleName: string,
  { program, entry }: Declarations,
): string {
  const reach = new Reach(program.getTypeChecker());
  reach.addExportsOf(entry);
  const body = reach.print();
  return `declare module ${
    JSON.stringify(moduleName)
  } {\n${body}\nexport {};\n}\n`;
}

/** A piece of a declaration's text and what stands there afterwards. */
interface Edit {
  start: number;
  end: number;
  text: string;
}

/** A place in a declaration that names another one, or itself. */
interface Reference {
  symbol: ts.Symbol;
  start: number;
  end: number;
  /** What stands before the name when the place has it alone. */
  prefix?: string;
}

/** The declarations that can be reached from some exports. */
class Reach {
  readonly #checker: ts.TypeChecker;
  /** What is exported, by the name that it is exported by; first of all. */
  readonly #names = new Map<ts.Symbol, string>();
  readonly #found: ts.Symbol[] = [];
  /** Names that mean something everywhere, such as `Promise`. */
  readonly #globals = new Set<string>();

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  addExportsOf(file: ts.SourceFile): void {
    const module = this.#checker.getSymbolAtLocation(file);
    if (!module) throw new Error(`${file.fileName} exports nothing`);
    for (const exported of this.#checker.getExportsOfModule(module)) {
      const symbol = this.#target(exported);
      if (this.#names.has(symbol)) {
        throw new Error(`${exported.name} is exported by two names`);
      }
      this.#names.set(symbol, exported.name);
      this.#found.push(symbol);
    }
    // The list grows while it is gone through.
    for (const symbol of this.#found) {
      for (const node of statementsOf(symbol)) {
        this.#forEachReference(node, ({ symbol: other }) => {
          if (!this.#found.includes(other)) this.#found.push(other);
        });
      }
    }
  }

  print(): string {
    const exported = new Set(this.#names.keys());
    const taken = new Set([...this.#names.values(), ...this.#globals]);
    for (const symbol of this.#found) {
      if (this.#names.has(symbol)) continue;
      const name = freeName(symbol.name, taken);
      taken.add(name);
      this.#names.set(symbol, name);
    }
    return this.#found.flatMap((symbol) =>
      statementsOf(symbol).map((node) =>
        this.#printStatement(node, exported.has(symbol))
      )
    ).join("\n");
  }

  #printStatement(node: ts.Statement, isExported: boolean): string {
    const file = node.getSourceFile();
    const edits: Edit[] = [];
    const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : [];
    for (const modifier of modifiers ?? []) {
      const { kind, end } = modifier;
      if (
        kind === ts.SyntaxKind.ExportKeyword ||
        kind === ts.SyntaxKind.DeclareKeyword ||
        kind === ts.SyntaxKind.DefaultKeyword
      ) edits.push({ start: modifier.getStart(file), end, text: "" });
    }
    this.#forEachReference(node, ({ symbol, prefix = "", ...place }) => {
      edits.push({ ...place, text: prefix + this.#names.get(symbol) });
    });
    const code = edited(file.text, {
      start: node.getStart(file),
      end: node.end,
      edits,
    }).trimStart();
    const comments = file.text.slice(
      node.getStart(file, true),
      node.getStart(file),
    );
    return `${comments}${isExported ? "export " : ""}${code}`;
  }

  #forEachReference(
    root: ts.Node,
    hear: (reference: Reference) => void,
  ): void {
    const visit = (node: ts.Node): void => {
      const member = this.#memberOfNamespace(node);
      if (member) return hear(member);
      if (ts.isImportTypeNode(node)) {
        const { qualifier, isTypeOf, typeArguments } = node;
        if (!qualifier || isTypeOf) {
          throw new Error(`Cannot flatten ${node.getText()}`);
        }
        hear({
          symbol: this.#named(qualifier),
          start: node.getStart(),
          end: qualifier.end,
        });
        typeArguments?.forEach(visit);
        return;
      }
      if (ts.isIdentifier(node)) {
        const symbol = this.#checker.getSymbolAtLocation(node);
        if (!symbol) {
          this.#globals.add(node.text);
          return;
        }
        const target = this.#target(symbol);
        if (isModule(target)) {
          throw new Error(`Cannot flatten all of the module ${node.text}`);
        }
        if (statementsOf(target).length > 0) {
          hear({ symbol: target, start: node.getStart(), end: node.end });
        }
        return;
      }
      ts.forEachChild(node, visit);
    };
    visit(root);
  }

  /** `all.Name` and `(typeof all)["Name"]`, where `all` is an imported module. */
  #memberOfNamespace(node: ts.Node): Reference | undefined {
    const place = { start: node.getStart(), end: node.end };
    if (ts.isQualifiedName(node)) {
      const module = this.#checker.getSymbolAtLocation(node.left);
      if (!module || !isModule(this.#target(module))) return undefined;
      return { symbol: this.#named(node.right), ...place };
    }
    if (!ts.isIndexedAccessTypeNode(node)) return undefined;
    const { objectType, indexType } = node;
    const inner = ts.isParenthesizedTypeNode(objectType)
      ? objectType.type
      : objectType;
    if (
      !ts.isTypeQueryNode(inner) || !ts.isIdentifier(inner.exprName) ||
      !ts.isLiteralTypeNode(indexType) || !ts.isStringLiteral(indexType.literal)
    ) return undefined;
    const alias = this.#checker.getSymbolAtLocation(inner.exprName);
    const module = alias && this.#target(alias);
    if (!module || !isModule(module)) return undefined;
    const { text } = indexType.literal;
    const member = this.#checker.getExportsOfModule(module)
      .find(({ name }) => name === text);
    if (!member) throw new Error(`Cannot flatten ${node.getText()}`);
    return { symbol: this.#target(member), ...place, prefix: "typeof " };
  }

  #named(node: ts.Node): ts.Symbol {
    const symbol = this.#checker.getSymbolAtLocation(node);
    if (!symbol) throw new Error(`Nothing is known of ${node.getText()}`);
    return this.#target(symbol);
  }

  /** What an import or a re-export stands for. */
  #target(symbol: ts.Symbol): ts.Symbol {
    if ((symbol.flags & ts.SymbolFlags.Alias) === 0) return symbol;
    const target = this.#checker.getAliasedSymbol(symbol);
    if (!target.declarations) {
      const [declaration] = symbol.declarations ?? [];
      throw new Error(
        `Cannot find ${symbol.name}, which ${declaration?.getSourceFile().fileName} imports`,
      );
    }
    return target;
  }
}

function isModule({ flags }: ts.Symbol): boolean {
  return (flags & ts.SymbolFlags.ValueModule) !== 0;
}

/** The statements at the top of a file that declare a symbol; none for parameters, members and so on. */
function statementsOf(symbol: ts.Symbol): ts.Statement[] {
  const statements = (symbol.declarations ?? []).flatMap((declaration) => {
    const node = ts.isVariableDeclaration(declaration)
      ? declaration.parent.parent
      : declaration;
    return node.parent && ts.isSourceFile(node.parent)
      ? [node as ts.Statement]
      : [];
  });
  return [...new Set(statements)];
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let n = 2; taken.has(free); n++) free = `${name}_${n}`;
  return free;
}

function edited(
  text: string,
  { start, end, edits }: { start: number; end: number; edits: Edit[] },
): string {
  let result = "";
  let at = start;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at, end);
}
