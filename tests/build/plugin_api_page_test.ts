import assert from "node:assert/strict";
import ts from "typescript";
import { anchorOf } from "../../build/docs/anchor_of.ts";
import { makePluginApiPage } from "../../build/docs/plugin_api_page.ts";
import { makeDeclarations } from "../../build/declarations/make_declarations.ts";
import { pageAnchors } from "../support/markdown_links.ts";

const PAGE = await Deno.readTextFile(
  new URL("../../docs/plugin-api.md", import.meta.url),
);

const DECLARATIONS = await makeDeclarations(
  new URL("../../", import.meta.url),
);

Deno.test("docs/plugin-api.md is made from the declarations that tau plugins types prints", async () => {
  const made = await makePluginApiPage(DECLARATIONS);
  assert(made === PAGE, "the declarations have changed: deno task docs");
});

Deno.test("docs/plugin-api.md has each member of the plugin API, those that it inherits included", () => {
  const { checker, types } = declaredTypes();
  const propertiesOf = (name: string) => {
    const properties = checker.getPropertiesOfType(
      types.get(name) ?? assert.fail(`${name} is not declared`),
    );
    assert(properties.length > 0, name);
    return properties;
  };
  const anchors = pageAnchors(PAGE);
  const wanted = [
    ...propertiesOf("PluginAPI").map(({ name }) => `tau.${name}`),
    ...propertiesOf("PluginEvents").map(({ name }) => name),
  ];
  assert.deepEqual(wanted.filter((name) => !anchors.has(anchorOf(name))), []);

  const missing: string[] = [];
  for (const [name, type] of types) {
    if (sectionOf(name) === undefined || !type.isClassOrInterface()) continue;
    for (const property of checker.getPropertiesOfType(type)) {
      const owner = property.declarations?.[0]?.parent as
        | ts.InterfaceDeclaration
        | undefined;
      const section = sectionOf(owner?.name?.text ?? "") ?? "";
      const isThere = section.split("\n").some((line) =>
        new RegExp(`^(?:- \`|  )(?:readonly )?${property.name}\\b`).test(line)
      );
      if (!isThere) missing.push(`${name}.${property.name}`);
    }
  }
  assert.deepEqual(missing, []);
});

Deno.test("makePluginApiPage() fails for a member that is in no group, and for a type that has no section", async () => {
  const inApi = /interface PluginAPI extends ToolFactories \{/;
  assert.match(DECLARATIONS, inApi);
  await assert.rejects(
    makePluginApiPage(DECLARATIONS.replace(inApi, "$& odd(): void;")),
    /^Error: odd is in no group/,
  );
  const withType = DECLARATIONS
    .replace("getActiveTools(): string[];", "getActiveTools(): Odd[];")
    .replace(/interface PluginContext \{/, "interface Odd {} $&");
  await assert.rejects(
    makePluginApiPage(withType),
    /^Error: Odd is not on the page/,
  );
});

/** The text below the heading of a type. */
function sectionOf(name: string): string | undefined {
  const [, text] = new RegExp(`^### ${name}\n([^]*?)^#`, "m")
    .exec(`${PAGE}\n#`) ?? [];
  return text;
}

/** The types of the declarations by their names. */
function declaredTypes(): {
  checker: ts.TypeChecker;
  types: Map<string, ts.Type>;
} {
  const options: ts.CompilerOptions = {
    noLib: true,
    types: [],
    target: ts.ScriptTarget.ESNext,
  };
  const host = ts.createCompilerHost(options);
  const file = ts.createSourceFile(
    "tau.d.ts",
    DECLARATIONS,
    ts.ScriptTarget.ESNext,
  );
  host.getSourceFile = (name) => name === "tau.d.ts" ? file : undefined;
  const program = ts.createProgram(["tau.d.ts"], options, host);
  const checker = program.getTypeChecker();
  const types = new Map<string, ts.Type>();
  const body = file.statements.find(ts.isModuleDeclaration)?.body;
  if (!body || !ts.isModuleBlock(body)) assert.fail("no module is declared");
  for (const statement of body.statements) {
    if (
      ts.isInterfaceDeclaration(statement) || ts.isClassDeclaration(statement)
    ) {
      types.set(
        statement.name?.text ?? "",
        checker.getTypeAtLocation(statement),
      );
    }
  }
  return { checker, types };
}
