import ts from "typescript";

/** A text of the program, with the line on which it begins. */
export type Text = { line: number; text: string };

/**
 * Finds the texts in a source file that can reach a person: string literals and
 * templates of two words or more, in the order of the file.
 *
 * What a template fills in is shown as `{expression}`. Texts that are joined with
 * `+` are one text.
 */
export function textsIn(path: string, source: string): Text[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const found: Text[] = [];
  visit(file);
  return found;

  function visit(node: ts.Node): void {
    if (isNoText(node)) return;
    const text = textOf(node);
    if (text === undefined) {
      ts.forEachChild(node, visit);
      return;
    }
    if (!/\p{L}{2}\S*\s+\S*\p{L}/u.test(text)) return;
    const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
    found.push({ line: line + 1, text });
  }
}

/** Types, and the names of modules, hold literals that are no texts. */
function isNoText(node: ts.Node): boolean {
  return ts.isTypeNode(node) || ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node);
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return node.head.text +
      node.templateSpans.map((span) =>
        `{${span.expression.getText()}}` + span.literal.text
      ).join("");
  }
  if (!isSum(node)) return undefined;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  if (left === undefined && right === undefined) return undefined;
  return (left ?? `{${node.left.getText()}}`) +
    (right ?? `{${node.right.getText()}}`);
}

function isSum(node: ts.Node): node is ts.BinaryExpression {
  return ts.isBinaryExpression(node) &&
    node.operatorToken.kind === ts.SyntaxKind.PlusToken;
}
