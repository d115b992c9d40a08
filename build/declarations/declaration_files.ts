import ts from "typescript";
import { filePath } from "../../src/host/file_path.ts";

/** A package whose declarations belong to those of the source. */
export interface DeclaredPackage {
  /** As it is imported. */
  name: string;
  /** Holds the ES modules and their declarations. */
  folder: URL;
}

const COMPILER_OPTIONS: ts.CompilerOptions = {
  declaration: true,
  emitDeclarationOnly: true,
  // That is for `deno check`.
  noCheck: true,
  allowImportingTsExtensions: true,
  strict: true,
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  // Enough for what is inferred; what else there is of the platform takes long.
  lib: ["lib.es2022.d.ts"],
  types: [],
};

/** The declarations of modules: those of the source made from it, those of a package as they are. */
export interface Declarations {
  /** Whose symbols can be asked for. Types of the platform are unknown in it. */
  program: ts.Program;
  entry: ts.SourceFile;
}

/** Makes the declarations of a module and of all that it imports. */
export function declarationsOf(
  entry: URL,
  declared: DeclaredPackage,
): Declarations {
  const source = filePath(entry);
  const resolve = (specifier: string, from: string): string | undefined => {
    if (specifier === declared.name) {
      return filePath(new URL("index.d.mts", declared.folder));
    }
    if (!specifier.startsWith(".")) return undefined;
    return filePath(new URL(specifier, `file://${from}`))
      .replace(/\.mjs$/, ".d.mts");
  };
  const made = new Map<string, string>();
  ts.createProgram(
    [source],
    COMPILER_OPTIONS,
    hostOf(COMPILER_OPTIONS, resolve),
  )
    .emit(undefined, (name, text) => made.set(name, text));
  const options = { ...COMPILER_OPTIONS, noLib: true };
  const host = hostOf(options, (specifier, from) => {
    const path = resolve(specifier, from);
    return path?.replace(/(?<!\.d)\.ts$/, ".d.ts");
  });
  const { getSourceFile } = host;
  host.getSourceFile = (name, version) => {
    const text = made.get(name);
    return text === undefined
      ? getSourceFile(name, version)
      : ts.createSourceFile(name, text, version, true);
  };
  const name = source.replace(/\.ts$/, ".d.ts");
  const program = ts.createProgram([name], options, host);
  return { program, entry: program.getSourceFile(name) as ts.SourceFile };
}

/** Reads files of the machine; what a module imports is found by `resolve`. */
function hostOf(
  options: ts.CompilerOptions,
  resolve: (specifier: string, from: string) => string | undefined,
): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) => {
      const resolvedFileName = resolve(text, from);
      const extension = /(?:\.d)?\.m?ts$/.exec(resolvedFileName ?? "")?.[0];
      return {
        resolvedModule: resolvedFileName && extension
          ? { resolvedFileName, extension }
          : undefined,
      };
    });
  return host;
}
