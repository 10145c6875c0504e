import { Problem } from "../../problem.ts";

/** A parsed retry-delay expression: milliseconds for a count of retries made, not yet bounded. */
export type RetryDelayExpression = (retried: number) => number;

const CHARACTERS_MAX = 256;
const DEPTH_MAX = 16;
const NODES_MAX = 64;

interface MathFunction {
  readonly arguments: number;
  readonly apply: (...given: number[]) => number;
}

const FUNCTIONS: ReadonlyMap<string, MathFunction> = new Map([
  ["pow", { arguments: 2, apply: Math.pow }],
  ["exp", { arguments: 1, apply: Math.exp }],
  ["sqrt", { arguments: 1, apply: Math.sqrt }],
  ["abs", { arguments: 1, apply: Math.abs }],
  ["floor", { arguments: 1, apply: Math.floor }],
  ["ceil", { arguments: 1, apply: Math.ceil }],
  ["round", { arguments: 1, apply: Math.round }],
  ["min", { arguments: 2, apply: Math.min }],
  ["max", { arguments: 2, apply: Math.max }],
]);

interface Scan {
  readonly text: string;
  at: number;
  depth: number;
  nodes: number;
}

/**
 * Reads numbers, `retried`, + - * /, parentheses and the nine functions. Work is linear in the
 * length of the text, and length, depth and size are bounded, so hostile input is cheap to refuse.
 */
export function parseRetryDelayExpression(text: string): RetryDelayExpression {
  if (text.length > CHARACTERS_MAX) throw refusal(`is longer than ${CHARACTERS_MAX} characters`);
  const scan: Scan = { text, at: 0, depth: 0, nodes: 0 };
  const expression = sum(scan);
  if (peek(scan) !== "") throw unexpected(scan);
  return expression;
}

function sum(scan: Scan): RetryDelayExpression {
  let left = product(scan);
  for (;;) {
    const before = left;
    if (take(scan, "+")) {
      const right = product(scan);
      left = node(scan, (retried) => before(retried) + right(retried));
    } else if (take(scan, "-")) {
      const right = product(scan);
      left = node(scan, (retried) => before(retried) - right(retried));
    } else return left;
  }
}

function product(scan: Scan): RetryDelayExpression {
  let left = signed(scan);
  for (;;) {
    const before = left;
    if (take(scan, "*")) {
      const right = signed(scan);
      left = node(scan, (retried) => before(retried) * right(retried));
    } else if (take(scan, "/")) {
      const right = signed(scan);
      left = node(scan, (retried) => before(retried) / right(retried));
    } else return left;
  }
}

function signed(scan: Scan): RetryDelayExpression {
  if (!take(scan, "-")) return primary(scan);
  const operand = nested(scan, signed);
  return node(scan, (retried) => -operand(retried));
}

function primary(scan: Scan): RetryDelayExpression {
  if (take(scan, "(")) {
    const inner = nested(scan, sum);
    expect(scan, ")");
    return inner;
  }
  const start = peek(scan);
  if (isLetter(start)) return named(scan);
  if (isDigit(start) || start === ".") return literal(scan);
  throw unexpected(scan);
}

function named(scan: Scan): RetryDelayExpression {
  const start = scan.at;
  while (isLetter(scan.text[scan.at] ?? "")) scan.at++;
  const name = scan.text.slice(start, scan.at);
  if (name === "retried") return node(scan, (retried) => retried);
  const found = FUNCTIONS.get(name);
  if (found === undefined) {
    throw refusal(`has an unknown name at character ${start + 1}; known are ${knownNames()}`);
  }
  return call(scan, found);
}

function call(scan: Scan, { apply, arguments: count }: MathFunction): RetryDelayExpression {
  expect(scan, "(");
  const first = nested(scan, sum);
  if (count === 1) {
    expect(scan, ")");
    return node(scan, (retried) => apply(first(retried)));
  }
  expect(scan, ",");
  const second = nested(scan, sum);
  expect(scan, ")");
  return node(scan, (retried) => apply(first(retried), second(retried)));
}

function literal(scan: Scan): RetryDelayExpression {
  const start = scan.at;
  digits(scan);
  if (scan.text[scan.at] === ".") {
    scan.at++;
    if (!isDigit(scan.text[scan.at])) throw unexpected(scan);
    digits(scan);
  }
  exponent(scan);
  const value = Number(scan.text.slice(start, scan.at));
  return node(scan, () => value);
}

function digits(scan: Scan): void {
  while (isDigit(scan.text[scan.at])) scan.at++;
}

function exponent(scan: Scan): void {
  const mark = scan.text[scan.at];
  if (mark !== "e" && mark !== "E") return;
  const sign = scan.text[scan.at + 1];
  const digitAt = scan.at + (sign === "+" || sign === "-" ? 2 : 1);
  if (!isDigit(scan.text[digitAt])) return;
  scan.at = digitAt;
  digits(scan);
}

function nested(scan: Scan, parse: (scan: Scan) => RetryDelayExpression): RetryDelayExpression {
  scan.depth++;
  if (scan.depth > DEPTH_MAX) throw refusal(`is nested deeper than ${DEPTH_MAX} levels`);
  const inner = parse(scan);
  scan.depth--;
  return inner;
}

function node(scan: Scan, expression: RetryDelayExpression): RetryDelayExpression {
  scan.nodes++;
  if (scan.nodes > NODES_MAX) {
    throw refusal(`has more than ${NODES_MAX} numbers, names and operators`);
  }
  return expression;
}

function peek(scan: Scan): string {
  while (scan.text[scan.at] === " " || scan.text[scan.at] === "\t") scan.at++;
  return scan.text[scan.at] ?? "";
}

function take(scan: Scan, character: string): boolean {
  if (peek(scan) !== character) return false;
  scan.at++;
  return true;
}

function expect(scan: Scan, character: string): void {
  if (!take(scan, character)) throw unexpected(scan, `; expected ${character}`);
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= "0" && character <= "9";
}

function isLetter(character: string): boolean {
  return character >= "a" && character <= "z";
}

function knownNames(): string {
  return ["retried", ...FUNCTIONS.keys()].join(", ");
}

function unexpected(scan: Scan, hint = ""): Problem {
  const atEnd = peek(scan) === "";
  return refusal(
    atEnd ? `ends too early${hint}` : `is malformed at character ${scan.at + 1}${hint}`,
  );
}

function refusal(reason: string): Problem {
  return new Problem("invalid-request", reason);
}
