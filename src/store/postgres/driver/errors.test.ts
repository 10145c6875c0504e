import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreUnavailable } from "../../store-unavailable.ts";
import { isOutage, toProblem } from "./errors.ts";

const failing = (code: string): Error => Object.assign(new Error("it failed"), { code });

test("a table that is missing is an outage for all, and data that is damaged for its own acts", () => {
  for (const [code, stopsAll] of [
    ["42P01", true],
    ["42501", true],
    ["XX000", false],
    ["XX001", false],
    ["XX002", false],
  ] as const) {
    assert.equal(isOutage(failing(code)), stopsAll, code);
    assert.ok(toProblem(failing(code)) instanceof StoreUnavailable, code);
  }
});

test("the fault of a statement is neither", () => {
  const error = failing("42601");
  assert.equal(isOutage(error), false);
  assert.equal(toProblem(error), error);
});
