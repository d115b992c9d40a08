import ts from "typescript";

/** A declaration of a module, or a member of one. */
export interface Declared {
  name: string;
  /** The text of its comment, in Markdown but for `{@linkcode …}`; empty where there is none. */
  comment: string;
  /** Its code without comments before it. */
  code: string;
  node: ts.Node;
}

/** Reads the declarations of a text that is one `declare module`. */
export function declaredModule(text: string): Map<string, Declared> {
  const file = ts.createSourceFile("module.d.ts", text, {
    languageVersion: ts.ScriptTarget.ESNext,
  }, true);
  const found = new Map<string, Declared>();
  const module = file.statements.find(ts.isModuleDeclaration)?.body;
  if (!module || !ts.isModuleBlock(module)) {
    throw new Error("The text declares no module");
  }
  for (const statement of module.statements) {
    const named = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations[0]
      : statement as ts.DeclarationStatement;
    const name = named?.name?.getText();
    if (name !== undefined) found.set(name, declared(name, statement));
  }
  return found;
}

/** The members that an interface, a class or an object type has of its own. */
export function membersOf(node: ts.Node): Declared[] {
  const members = ts.isInterfaceDeclaration(node) ||
      ts.isTypeLiteralNode(node) || ts.isClassDeclaration(node)
    ? [...node.members]
    : ts.isTypeAliasDeclaration(node) && ts.isTypeLiteralNode(node.type)
    ? [...node.type.members]
    : [];
  return members.map((member) =>
    declared(
      member.name?.getText() ??
        (ts.isConstructorDeclaration(member) ? "constructor" : ""),
      member,
    )
  );
}

/** The types that an interface or a class extends. */
export function parentsOf(node: ts.Node): ts.ExpressionWithTypeArguments[] {
  return ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)
    ? (node.heritageClauses ?? []).flatMap(({ types }) => [...types])
    : [];
}

/** Names of the types and values that the code of a node refers to, its own type parameters left out. */
export function namesIn(node: ts.Node): Set<string> {
  const names = new Set<string>();
  const parameters: string[] = [];
  const visit = (part: ts.Node): void => {
    if (ts.isTypeParameterDeclaration(part)) parameters.push(part.name.text);
    if (ts.isTypeReferenceNode(part)) names.add(part.typeName.getText());
    if (ts.isTypeQueryNode(part)) names.add(part.exprName.getText());
    if (ts.isExpressionWithTypeArguments(part)) {
      names.add(part.expression.getText());
    }
    ts.forEachChild(part, visit);
  };
  visit(node);
  for (const name of parameters) names.delete(name);
  return names;
}

function declared(name: string, node: ts.Node): Declared {
  const comments = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  return {
    name,
    comment: ts.getTextOfJSDocComment(comments.at(-1)?.comment) ?? "",
    code: node.getText().replace(/^(?:export|declare) /, ""),
    node,
  };
}
