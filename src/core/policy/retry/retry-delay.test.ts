import assert from "node:assert/strict";
import { test } from "node:test";
import { runInThisContext } from "node:vm";
import * as fc from "fast-check";
import { Problem } from "../../problem.ts";
import { checkRetryDelay, RETRY_DELAY_MS_MAX, retryDelayMs } from "./retry-delay.ts";
import { parseRetryDelayExpression } from "./retry-delay-expression.ts";

test("the default backoff grows as e^(2.5 n) up to a day", () => {
  const seconds = [0, 1, 2, 3, 4, 5].map((n) => Math.floor(retryDelayMs(undefined, n, 0) / 1_000));
  assert.deepEqual(seconds, [12, 148, 1_808, 22_026, 86_400, 86_400]);
});

test("a number may have an exponent with a sign, or be followed by no digits of one", () => {
  for (const [expression, delayMs] of [
    ["5e3", 5_000],
    ["5E+3", 5_000],
    ["5000e-1", 500],
  ] as const) {
    assert.equal(retryDelayMs(expression, 0, 0), delayMs, expression);
  }
  assert.throws(() => checkRetryDelay("5e", 1), Problem);
  assert.throws(() => checkRetryDelay("5e+", 1), Problem);
});

test("jitter lengthens the default backoff by at most a tenth", () => {
  assert.equal(retryDelayMs(undefined, 9, 1), 95_040_000);
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.nat(2_000), share, (retried, jitter) => {
      const bareMs = retryDelayMs(undefined, retried, 0);
      const delayMs = retryDelayMs(undefined, retried, jitter);
      return delayMs >= bareMs && delayMs <= bareMs * 1.1 + 1;
    }),
  );
});

function at2(text: string): number {
  return retryDelayMs(text, 2, 0.5);
}

test("expressions that publishers write", () => {
  assert.equal(at2("1000 * retried"), 2_000);
  assert.equal(retryDelayMs("1000 * retried", 0, 0.5), 0);
  assert.equal(at2("pow(retried, 2) * 1000"), 4_000);
  assert.equal(at2("15000"), 15_000);
  assert.equal(at2("min(pow(3, retried) * 1000, 300000)"), 9_000);
  assert.equal(at2("max(1000, pow(2,retried)*100)"), 1_000);
  assert.equal(at2("1000 - -(retried + .5) * 1e3 / 2"), 2_250);
  assert.equal(at2("2 - 3 - 4"), 0);
  assert.equal(at2("100 / 10 / 2"), 5);
  assert.equal(at2("exp(100)"), RETRY_DELAY_MS_MAX);
  assert.equal(at2("1000 * ceil(retried / 4) + floor(retried * .9)"), 1_001);
  assert.equal(at2("1000 * round(retried / 3) + abs(0 - sqrt(16))"), 1_004);
  assert.equal(Object.is(at2("-0"), 0), true);
});

test("malformed expressions are refused", () => {
  const refused = [
    "",
    " ",
    "1 +",
    "(1",
    "1)",
    "retries",
    "Retried",
    "pow(1)",
    "pow(1,2,3)",
    "abs()",
  ];
  const alsoRefused = [
    "1 2",
    "2retried",
    "1..2",
    "1.",
    "+1",
    "1 % 2",
    "2^3",
    "abs",
    "constructor(1)",
  ];
  for (const text of [
    ...refused,
    ...alsoRefused,
    "__proto__",
    "toString()",
    "1;2",
    "a".repeat(257),
  ]) {
    assert.throws(() => checkRetryDelay(text, 3), Problem, text);
  }
});

test("a refusal says where, and what is known", () => {
  for (const [text, said] of [
    ["1 +", /^ends too early$/],
    ["pow(1", /^ends too early; expected ,$/],
    ["pow(1, 2", /^ends too early; expected \)$/],
    ["abs 1", /^is malformed at character 5; expected \($/],
    ["1)", /^is malformed at character 2$/],
    ["1e", /^is malformed at character 2$/],
    ["1e+", /^is malformed at character 2$/],
    ["2 * retry", /unknown name at character 5; known are retried, pow, exp, sqrt, abs, floor, /],
  ] as const) {
    assert.throws(
      () => checkRetryDelay(text, 1),
      (error) => said.test((error as Error).message),
    );
  }
});

test("length, depth and size are bounded", () => {
  assert.doesNotThrow(() => checkRetryDelay("(".repeat(16) + "1" + ")".repeat(16), 1));
  assert.throws(() => checkRetryDelay("(".repeat(17) + "1" + ")".repeat(17), 1), Problem);
  assert.throws(() => checkRetryDelay("-".repeat(17) + "1", 1), Problem);
  assert.doesNotThrow(() => checkRetryDelay("-1" + "+1".repeat(31), 1));
  assert.throws(() => checkRetryDelay("1" + "+1".repeat(32), 1), /more than 64 /);
  assert.doesNotThrow(() => checkRetryDelay("1".padEnd(256), 1));
  assert.throws(() => checkRetryDelay("1".padEnd(257), 1), Problem);
});

test("an expression must be finite for every retry there will be", () => {
  assert.throws(() => checkRetryDelay("1 / 0", 0), Problem);
  assert.throws(() => checkRetryDelay("sqrt(2 - retried)", 4), /retried is 3/);
  assert.doesNotThrow(() => checkRetryDelay("sqrt(2 - retried)", 3));
  assert.throws(() => checkRetryDelay("sqrt(2 - retried)", 4), Problem);
  assert.equal(retryDelayMs("sqrt(2 - retried)", 3, 0), RETRY_DELAY_MS_MAX);
});

test("more expressions than are kept compiled all keep their meaning", () => {
  const expected = Array.from({ length: 1_200 }, (_, index) => index * 2);
  for (let round = 0; round < 2; round++) {
    const actual = expected.map((_, index) => at2(`${index} * retried`));
    assert.deepEqual(actual, expected);
  }
});

/** An expression as text in our grammar, and as JavaScript. */
interface Pair {
  readonly ours: string;
  readonly js: string;
}

const pairs = fc.letrec<{ pair: Pair }>((tie) => ({
  pair: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constant({ ours: "retried", js: "retried" }),
    fc.oneof(fc.nat(100_000), fc.double({ min: 0, max: 1e9, noNaN: true })).map((value) => {
      const text = String(Math.abs(value));
      return { ours: text, js: text };
    }),
    fc
      .tuple(tie("pair"), fc.constantFrom("+", "-", "*", "/"), tie("pair"))
      .map(([left, operator, right]) => joined(left, operator, right)),
    tie("pair").map((of) => ({ ours: `-(${of.ours})`, js: `(-(${of.js}))` })),
    fc
      .tuple(fc.constantFrom("exp", "sqrt", "abs", "floor", "ceil", "round"), tie("pair"))
      .map(([name, of]) => ({ ours: `${name} ( ${of.ours} )`, js: `Math.${name}(${of.js})` })),
    fc
      .tuple(fc.constantFrom("pow", "min", "max"), tie("pair"), tie("pair"))
      .map(([name, x, y]) => ({
        ours: `${name}(${x.ours},${y.ours})`,
        js: `Math.${name}(${x.js},${y.js})`,
      })),
  ),
})).pair;

function isSum(text: string): boolean {
  return /[-+]/.test(text.replace(/e[-+]/g, ""));
}

/** Without parentheses, so that precedence and order of evaluation are tried too. */
function joined(left: Pair, operator: string, right: Pair): Pair {
  const tight = operator === "*" || operator === "/";
  const wrap = (text: string, always: boolean) =>
    always || (tight && isSum(text)) ? `(${text})` : text;
  return {
    ours: `${wrap(left.ours, false)} ${operator} ${wrap(right.ours, operator !== "+")}`,
    js: `${wrap(left.js, false)} ${operator} ${wrap(right.js, operator !== "+")}`,
  };
}

test("20,000 expressions mean what they mean in JavaScript", () => {
  const sample = fc.sample(pairs, { numRuns: 20_000, seed: 20_261_115 });
  const references = runInThisContext(
    `[${sample.map(({ js }) => `(retried) => ${js}`).join(",")}]`,
  ) as ((retried: number) => number)[];
  let compared = 0;
  let composed = 0;
  for (const [index, { ours }] of sample.entries()) {
    const evaluate = compileOrNull(ours);
    if (evaluate === null) continue;
    compared++;
    if (/[-+*/(].*[-+*/(]/.test(ours)) composed++;
    for (const retried of [0, 1, 2, 7]) {
      assert.ok(Object.is(evaluate(retried), references[index]?.(retried)), ours);
    }
  }
  assert.ok(compared > 15_000, `only ${compared} were within the limits`);
  assert.ok(composed > 5_000, `only ${composed} had two operators`);
});

test("no text does more than be refused", () => {
  const words = fc.constantFrom(
    ..."0123456789.eE+-*/(), \t".split(""),
    "retried",
    "pow(",
    "max(",
    "abs(",
  );
  const text = fc.oneof(fc.string({ maxLength: 300 }), fc.string({ unit: words, maxLength: 60 }));
  fc.assert(
    fc.property(text, (given) => {
      compileOrNull(given);
    }),
    { numRuns: 20_000 },
  );
});

function compileOrNull(text: string) {
  try {
    return parseRetryDelayExpression(text);
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    assert.ok(error.message.length < 200);
    return null;
  }
}
