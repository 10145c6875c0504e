import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "./problem.ts";

test("a refusal has no stack trace, and leaves those of defects as they are", () => {
  const { stackTraceLimit } = Error;
  const problem = new Problem("invalid-request", "Svc-Delay: is no duration");
  assert.doesNotMatch(problem.stack ?? "", /\n\s+at /);
  assert.equal(problem.message, "Svc-Delay: is no duration");
  assert.equal(problem.field, "Svc-Delay");
  assert.equal(Error.stackTraceLimit, stackTraceLimit);
  assert.match(new Error("a defect").stack ?? "", /\n\s+at .*problem\.test/);
});
