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

const fieldOf = (sentence: string) => new Problem("invalid-request", sentence).field;

test("a sentence names its field at its beginning, or the refusal beside it", () => {
  assert.equal(fieldOf("endpoints[0].url: is empty"), "endpoints[0].url");
  assert.equal(fieldOf("a?b: is not a known parameter"), "a?b");
  assert.equal(fieldOf('"": is not a known member'), '""');
  assert.equal(fieldOf('a"b: is not a known member'), 'a"b');
  assert.equal(fieldOf("unable to authenticate: no token"), undefined);
  assert.equal(fieldOf("the query has a value without a name"), undefined);
  const { field, message } = Problem.about("dlqId", "not-found", "dead letter 1-1 not found");
  assert.deepEqual([field, message], ["dlqId", "dead letter 1-1 not found"]);
});
