import assert from "node:assert/strict";
import { test } from "node:test";
import { sleepMs, wholeNumber } from "./step-record.ts";

test("how long a step sleeps is whole milliseconds, however it was written", () => {
  assert.equal(sleepMs(60), 60_000);
  assert.equal(sleepMs(1.5), 1_500);
  assert.equal(sleepMs(0.0004), 0);
  assert.equal(sleepMs("1h30m"), 5_400_000);
  assert.equal(sleepMs("1.5s"), 1_500);
  assert.equal(sleepMs("30"), 30_000);
  for (const odd of ["a while", "", null, undefined, {}, NaN, 1e300]) {
    assert.equal(sleepMs(odd), undefined);
  }
});

test("until when a step sleeps is whole seconds", () => {
  assert.equal(wholeNumber(1_794_722_000.25), 1_794_722_000);
  assert.equal(wholeNumber("1794722000"), 1_794_722_000);
  for (const odd of ["tomorrow", "", null, undefined, Infinity]) {
    assert.equal(wholeNumber(odd), undefined);
  }
});
