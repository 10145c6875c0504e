import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFlowControlKey, readPin, readSearch, readUnpin } from "./flow-control-key.ts";

test("a key is decoded, and is what a header could hold", () => {
  assert.equal(parseFlowControlKey("k/1%202"), "k/1 2");
  assert.equal(parseFlowControlKey("a+b%2B"), "a+b+");
  assert.equal(parseFlowControlKey("%C3%A9"), "é");
  for (const raw of ["", "%20a", "a%20", "%00", "%0A", "a%E2%82%AC", "%", "%zz", "x".repeat(257)]) {
    assert.throws(() => parseFlowControlKey(raw), /^Problem: flowControlKey: /, raw);
  }
});

test("a pin names parallelism, or rate with a period of a second unless it says", () => {
  assert.deepEqual(readPin("parallelism=3"), { parallelism: 3, rate: undefined });
  assert.deepEqual(readPin("rate=2&parallelism=1"), {
    parallelism: 1,
    rate: { rate: 2, periodMs: 1_000 },
  });
  assert.deepEqual(readPin("rate=2&period=604800").rate, { rate: 2, periodMs: 604_800_000 });
});

test("a pin that says nothing, or not a number, is refused by name", () => {
  const refused: [query: string, names: RegExp][] = [
    ["", /parallelism or rate/],
    ["period=3", /parallelism or rate/],
    ["parallelism=1&period=3", /period/],
    ["parallelism=0", /parallelism/],
    ["parallelism=-1", /parallelism/],
    ["parallelism=1.5", /parallelism/],
    ["parallelism=", /parallelism/],
    ["parallelism=2147483648", /parallelism/],
    ["rate=x", /rate/],
    ["rate=1&rate=2", /rate: is given twice/],
    ["rate=1&period=604801", /period: is longer than a week/],
    ["rate=1&period=0", /period/],
    ["rate=1&period=1h", /period/],
    ["rate=%", /rate/],
    ["burst=1", /burst/],
    ["__proto__=1", /__proto__/],
  ];
  for (const [query, names] of refused) assert.throws(() => readPin(query), names, query);
});

test("an unpin names what it frees, and nothing else", () => {
  assert.deepEqual(readUnpin(""), { parallelism: false, rate: false });
  assert.deepEqual(readUnpin("rate=true&parallelism=False"), { parallelism: false, rate: true });
  for (const query of ["rate=1", "rate=", "period=true", "rate=true&rate=true"]) {
    assert.throws(() => readUnpin(query), /rate|period/, query);
  }
});

test("a search is a text, decoded", () => {
  assert.equal(readSearch(""), null);
  assert.equal(readSearch("search="), null);
  assert.equal(readSearch("order=earliestFirst&search=a%20b+c"), "a b c");
  assert.throws(() => readSearch("x=1&search=a"), /x: is not a known parameter/);
  assert.throws(() => readSearch("search=a&search=b"), /search: is given twice/);
  assert.throws(() => readSearch("search=%"), /search/);
});
