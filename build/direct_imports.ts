import { dirname, join, relative } from "node:path/posix";
import ts from "typescript";
import { BuildError } from "./build_error.ts";

/** A name and the file that it is taken from. */
interface Origin {
  file: string;
  name: string;
}

/** A statement that takes names of another file of the source, or passes them on. */
interface Link {
  statement: ts.ImportDeclaration | ts.ExportDeclaration;
  /** How such a statement begins: `import`, or `export type`. */
  verb: string;
  file: string;
  names: readonly (ts.ImportSpecifier | ts.ExportSpecifier)[];
}

/**
 * Copies the source in one folder to another, with imports that name the file
 * that has what they want where they name a folder's `mod.ts`. A bundler keeps
 * all that a `mod.ts` lists together with whoever takes one name of it, so that
 * each start would load what it has no use for. Throws a
 * {@linkcode BuildError} for a name that a `mod.ts` does not list.
 */
export async function copyWithDirectImports(
  from: string,
  to: string,
): Promise<void> {
  const origins = new Origins();
  const copy = async (source: string, target: string): Promise<void> => {
    await Deno.mkdir(target, { recursive: true });
    for await (const { name, isDirectory } of Deno.readDir(source)) {
      const [old, made] = [join(source, name), join(target, name)];
      if (isDirectory) await copy(old, made);
      else if (!name.endsWith(".ts")) await Deno.copyFile(old, made);
      else await Deno.writeTextFile(made, withDirectImports(old, origins));
    }
  };
  await copy(from, to);
}

/** Where that comes from which each `mod.ts` lists; one is read when it is first asked about. */
class Origins {
  readonly #lists = new Map<string, Map<string, Origin>>();

  find({ file, name }: Origin): Origin {
    if (!isIndex(file)) return { file, name };
    const origin = this.#listOf(file).get(name);
    if (origin) return this.find(origin);
    throw new BuildError(`${file} does not list "${name}"`);
  }

  #listOf(index: string): Map<string, Origin> {
    const known = this.#lists.get(index);
    if (known) return known;
    const list = new Map(
      linksOf(parse(index)).flatMap(({ file, names }) =>
        names.map((specifier) => [
          specifier.name.text,
          { file, name: wantedName(specifier) },
        ])
      ),
    );
    this.#lists.set(index, list);
    return list;
  }
}

function withDirectImports(path: string, origins: Origins): string {
  const source = parse(path);
  let text = source.text;
  // The last one first: what stands before it keeps its place.
  for (const { statement, verb, file, names } of linksOf(source).reverse()) {
    if (!isIndex(file)) continue;
    const direct = names.map((specifier) => {
      const name = wantedName(specifier);
      const origin = origins.find({ file, name });
      const type = specifier.isTypeOnly ? "type " : "";
      const from = `./${relative(dirname(path), origin.file)}`;
      return `${verb} { ${type}${origin.name} as ${specifier.name.text} } ` +
        `from ${JSON.stringify(from)};`;
    });
    text = text.slice(0, statement.getStart(source)) + direct.join("\n") +
      text.slice(statement.end);
  }
  return text;
}

function linksOf(source: ts.SourceFile): Link[] {
  return source.statements.flatMap((statement) => {
    const isImport = ts.isImportDeclaration(statement);
    if (!isImport && !ts.isExportDeclaration(statement)) return [];
    const { moduleSpecifier } = statement;
    const clause = isImport
      ? statement.importClause?.namedBindings
      : statement.exportClause;
    const isType = isImport
      ? statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
      : statement.isTypeOnly;
    if (!clause || !("elements" in clause) || !moduleSpecifier) return [];
    if (!ts.isStringLiteral(moduleSpecifier)) return [];
    if (!moduleSpecifier.text.startsWith(".")) return [];
    return [{
      statement,
      verb: `${isImport ? "import" : "export"}${isType ? " type" : ""}`,
      file: join(dirname(source.fileName), moduleSpecifier.text),
      names: [...clause.elements],
    }];
  });
}

/** The name that a specifier has in the file that it comes from. */
function wantedName(
  { name, propertyName }: ts.ImportSpecifier | ts.ExportSpecifier,
): string {
  return (propertyName ?? name).text;
}

function parse(path: string): ts.SourceFile {
  const text = Deno.readTextFileSync(path);
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
}

function isIndex(file: string): boolean {
  return file.endsWith("/mod.ts");
}
