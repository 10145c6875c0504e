import {
  type BinaryExpression,
  type Expression,
  type Node,
  type SourceFile,
  SyntaxKind,
} from "typescript/unstable/ast";
import * as is from "typescript/unstable/ast/is";

/** One small defect: the text from `start` to `end` of a file gives way to another. */
export interface Mutation {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** Every defect of the known kinds in a file, in the order of its text. */
export function mutationsOf(source: SourceFile): Mutation[] {
  const found: Mutation[] = [];
  const visit = (node: Node): void => {
    if (is.isTypeNode(node) || is.isImportDeclaration(node) || is.isExportDeclaration(node)) return;
    if (is.isInterfaceDeclaration(node) || is.isTypeAliasDeclaration(node)) return;
    if (isForPeople(node)) return;
    found.push(...here(node, source));
    node.forEachChild(visit);
  };
  source.forEachChild(visit);
  return found.toSorted((a, b) => a.start - b.start || a.end - b.end);
}

/** What a schema gives for people to read: `examples: [7]`, `text("The name of the token.", "ci")`. */
function isForPeople(node: Node): boolean {
  if (is.isPropertyAssignment(node)) return is.isIdentifier(node.name) && NOTES.has(node.name.text);
  return (
    is.isCallExpression(node) &&
    is.isIdentifier(node.expression) &&
    DESCRIBERS.has(node.expression.text)
  );
}

const NOTES = new Set(["description", "examples"]);
const DESCRIBERS = new Set(["text", "integer", "flag", "instant", "headers"]);

function here(node: Node, source: SourceFile): Mutation[] {
  const replace = (replacement: string, what: Node = node): Mutation => ({
    start: what.getStart(source),
    end: what.end,
    replacement,
  });
  const decisions = conditionOf(node);
  if (decisions !== undefined) {
    return ["true", "false"].map((value) => replace(value, decisions));
  }
  if (is.isBinaryExpression(node)) return ofBinary(node, source, replace);
  if (is.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken) {
    return [replace(node.operand.getText(source))];
  }
  if (is.isExpressionStatement(node)) return [replace(";")];
  if (is.isCallExpression(node)) return ofCall(node.expression, node, source, replace);
  if (is.isArrayLiteralExpression(node)) return node.elements.map((each) => without(each, source));
  if (is.isObjectLiteralExpression(node)) {
    const behaving = node.properties.filter((each) => !isForPeople(each));
    return behaving.map((each) => without(each, source));
  }
  const literal = ofLiteral(node, source);
  return literal === undefined ? [] : [replace(literal)];
}

/** What decides a branch; that of a loop would only make it endless, so it is left alone. */
function conditionOf(node: Node): Expression | undefined {
  if (is.isIfStatement(node)) return node.expression;
  return is.isConditionalExpression(node) ? node.condition : undefined;
}

const OTHER_OPERATORS = new Map<SyntaxKind, string>([
  [SyntaxKind.LessThanToken, "<="],
  [SyntaxKind.LessThanEqualsToken, "<"],
  [SyntaxKind.GreaterThanToken, ">="],
  [SyntaxKind.GreaterThanEqualsToken, ">"],
  [SyntaxKind.EqualsEqualsEqualsToken, "!=="],
  [SyntaxKind.ExclamationEqualsEqualsToken, "==="],
  [SyntaxKind.PlusToken, "-"],
  [SyntaxKind.MinusToken, "+"],
  [SyntaxKind.AsteriskToken, "/"],
  [SyntaxKind.SlashToken, "*"],
  [SyntaxKind.PlusEqualsToken, "-="],
  [SyntaxKind.MinusEqualsToken, "+="],
  [SyntaxKind.AmpersandAmpersandToken, "||"],
  [SyntaxKind.BarBarToken, "&&"],
]);

const JOINS = new Set<SyntaxKind>([
  SyntaxKind.AmpersandAmpersandToken,
  SyntaxKind.BarBarToken,
  SyntaxKind.QuestionQuestionToken,
]);

/** Another operator, and of what is joined only one side. */
function ofBinary(
  { left, operatorToken, right }: BinaryExpression,
  source: SourceFile,
  replace: (replacement: string, what?: Node) => Mutation,
): Mutation[] {
  const other = OTHER_OPERATORS.get(operatorToken.kind);
  const [one, two] = [left.getText(source), right.getText(source)];
  const sides = JOINS.has(operatorToken.kind) ? [replace(one), replace(two)] : [];
  // Among && an || would need parentheses.
  return other === undefined ? sides : [replace(`(${one} ${other} ${two})`), ...sides];
}

const OTHER_CALLS = new Map([
  ["some", "every"],
  ["every", "some"],
  ["min", "max"],
  ["max", "min"],
  ["startsWith", "endsWith"],
  ["endsWith", "startsWith"],
  ["floor", "ceil"],
  ["ceil", "floor"],
  ["push", "unshift"],
]);

/** Calls whose result resembles what they are called on. */
const LEFT_OUT = new Set([
  "filter",
  "slice",
  "subarray",
  "toSorted",
  "toReversed",
  "trim",
  "toLowerCase",
  "toUpperCase",
  "replace",
  "replaceAll",
  "concat",
]);

function ofCall(
  called: Expression,
  call: Node,
  source: SourceFile,
  replace: (replacement: string, what?: Node) => Mutation,
): Mutation[] {
  if (!is.isPropertyAccessExpression(called)) return [];
  const { name, expression } = called;
  const other = OTHER_CALLS.get(name.text);
  if (other !== undefined) return [replace(other, name)];
  return LEFT_OUT.has(name.text) ? [replace(expression.getText(source), call)] : [];
}

/** A name is changed; a sentence for people is not. */
function ofLiteral(node: Node, source: SourceFile): string | undefined {
  if (node.kind === SyntaxKind.TrueKeyword) return "false";
  if (node.kind === SyntaxKind.FalseKeyword) return "true";
  if (is.isNumericLiteral(node)) return String(Number(node.text) + 1);
  if (!is.isStringLiteral(node) || isName(node) || /\s/.test(node.text)) return undefined;
  return node.getText(source) === '""' ? '"changed"' : '""';
}

function isName(node: Node): boolean {
  const { parent } = node;
  return is.isPropertyAssignment(parent) && parent.name === node;
}

/** A member of a list or an object, with the comma behind it. */
function without(member: Node, source: SourceFile): Mutation {
  const comma = /^\s*,/.exec(source.text.slice(member.end));
  const end = member.end + (comma?.[0].length ?? 0);
  return { start: member.getStart(source), end, replacement: "" };
}
