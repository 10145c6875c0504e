import assert from "node:assert/strict";
import { test } from "node:test";

import { Problem } from "../../core/problem.ts";
import { readTriggerHeaders, readWorkflowHeaders } from "./workflow-headers.ts";

const read = (headers: Record<string, string>) =>
  readWorkflowHeaders(Object.entries(headers).flat());

test("a publish without the id of a run is a plain message", () => {
  assert.equal(read({ "Upstash-Retries": "3", "Upstash-Callback-Workflow-RunId": "x" }), null);
});

test("both spellings and both dialects are understood", () => {
  for (const name of ["Upstash-Workflow-RunId", "svc-workflow-runid", "Upstash-Workflow-Runid"]) {
    assert.equal(read({ [name]: "wfr_1" })?.runId, "wfr_1");
  }
});

test("what a publish is to its run", () => {
  const said = read({
    "Svc-Workflow-RunId": "r",
    "Svc-Workflow-Init": "true",
    "Svc-Workflow-Invoke": "true",
    "Svc-Workflow-Trigger-By-Sdk": "true",
    "Svc-Workflow-CreatedAt": "1700000000000",
    "Svc-Feature-Set": "LazyFetch, WF_DetectTrigger",
  });
  assert.ok(said?.isInit && said.isInvoke && said.isBySdk);
  assert.equal(said.createdAt, 1_700_000_000_000);
  assert.deepEqual([...said.features], ["LazyFetch", "WF_DetectTrigger"]);
  const call = read({ "Svc-Workflow-RunId": "r", "Svc-Workflow-CallType": "toCallback" });
  assert.ok(call?.isCall && !call.isInit);
  for (const createdAt of ["0", ""]) {
    const early = read({ "Svc-Workflow-RunId": "r", "Svc-Workflow-CreatedAt": createdAt });
    assert.equal(early?.createdAt, undefined);
  }
});

const isInit = (word: string): boolean | undefined =>
  read({ "Svc-Workflow-RunId": "r", "Svc-Workflow-Init": word })?.isInit;

test("a switch is on with true, in any case, and with no other word", () => {
  assert.deepEqual(["true", "TRUE", "True"].map(isInit), [true, true, true]);
  assert.deepEqual(["false", "1", "yes", ""].map(isInit), [false, false, false, false]);
});

test("a list of features may come in several lines, and an id be said twice alike", () => {
  const lines = ["Svc-Workflow-RunId", "r", "Svc-Workflow-Runid", "r"];
  const said = readWorkflowHeaders([...lines, "Svc-Feature-Set", "A,B", "Svc-Feature-Set", "C"]);
  assert.deepEqual([...(said?.features ?? [])], ["A", "B", "C"]);
});

test("what is malformed is a fault of the step, or of the trigger that starts a run", () => {
  const bad = ["", "..", "a b", "a/b", "a?b", "a%20b", "ü", "x".repeat(257), "a\u0000b"];
  for (const runId of bad) {
    assert.equal(statusOf({ "Svc-Workflow-RunId": runId }), 422, runId);
    assert.equal(
      statusOf({ "Svc-Workflow-RunId": runId, "Svc-Workflow-Init": "true" }),
      400,
      runId,
    );
  }
  assert.equal(statusOf({ "Svc-Workflow-RunId": "r", "Svc-Workflow-CreatedAt": "x" }), 422);
  const badTime = { "Svc-Workflow-RunId": "r", "Svc-Workflow-CreatedAt": "x" };
  assert.throws(() => read(badTime), /Workflow-CreatedAt: is not a whole number/);
  const twice = ["Svc-Workflow-RunId", "a", "Svc-Workflow-RunId", "b"];
  assert.throws(() => readWorkflowHeaders(twice), /given twice/);
});

test("a trigger need not name its run", () => {
  assert.deepEqual(readTriggerHeaders([]), { runId: undefined, isUnknownSdk: false });
  const said = readTriggerHeaders(["Svc-Workflow-Unknown-Sdk", "true"]);
  assert.equal(said.isUnknownSdk, true);
});

function statusOf(headers: Record<string, string>): number {
  try {
    read(headers);
  } catch (error) {
    if (error instanceof Problem) return error.status;
    throw error;
  }
  return 200;
}
