import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes } from "../../../test/support/messages.ts";
import { readInvocation } from "./invoke.ts";
import { RunBodies } from "./run-body.ts";
import { readParameters } from "../filters/filter-parameters.ts";
import { readEventId, readRunPath, RUN_END_ROWS } from "./run-path.ts";

test("a run is named by its path, before the query and a last slash", () => {
  for (const path of ["wfr_1", "wfr_1/", "wfr_1?cancel=false", "wfr_1/?a=/b", "wfr%5F1"]) {
    assert.equal(readRunPath(path), "wfr_1", path);
  }
  assert.equal(readRunPath("a+b"), "a+b");
  for (const path of ["", "/", "a%20b", "a/b", ".", ".."]) {
    assert.throws(() => readRunPath(path), /workflowRunId: must be 1 to 256 visible ASCII/, path);
  }
  assert.throws(() => readRunPath("%zz"), /workflowRunId: is not percent-encoded UTF-8/);
});

test("a run that is ended may be told that it has not failed", () => {
  assert.deepEqual(readParameters("cancel=false", RUN_END_ROWS), { cancel: false });
  assert.deepEqual(readParameters("", RUN_END_ROWS), {});
});

test("an event has any name of 1 to 512 characters", () => {
  assert.equal(readEventId("a%2Fb%20c/"), "a/b c");
  assert.equal(readEventId("x".repeat(512)).length, 512);
  for (const path of ["", "x".repeat(513), "a%00", "..", "%2E/"]) {
    assert.throws(() => readEventId(path), /eventId: must be 1 to 512 characters/, path);
  }
});

const INVOCATION = {
  workflowRunId: "parent",
  workflowUrl: "https://parent.test",
  headers: { "X-A": ["1"] },
  step: { stepId: 3, stepName: "call it", stepType: "Invoke" },
};
const invocation = (more: object) =>
  readInvocation(bytes(JSON.stringify({ ...INVOCATION, ...more })));

test("an invocation names its run and its step, and may have no payload", () => {
  const { payload, invoker, headers, step } = invocation({ body: "in", workflowRunCreatedAt: 5 });
  assert.deepEqual(payload, bytes("in"));
  assert.deepEqual(invoker, { runId: "parent", createdAt: 5, workflowUrl: "https://parent.test" });
  assert.deepEqual(headers, [["X-A", "1"]]);
  assert.deepEqual(step, { ...INVOCATION.step, concurrent: 1 });
  for (const more of [{}, { body: null, workflowRunCreatedAt: 0 }]) {
    const bare = invocation(more);
    assert.deepEqual([bare.payload.byteLength, bare.invoker.createdAt], [0, undefined]);
  }
  const many = invocation({ step: { ...INVOCATION.step, concurrent: 2 } });
  assert.equal(many.step.concurrent, 2);
  assert.throws(() => invocation({ workflowRunId: "a b" }), /workflowRunId: must be/);
  assert.throws(() => invocation({ workflowUrl: "x" }), /workflowUrl: must start with/);
});

const shown = (trim: number | "whole" | "none", body: Uint8Array) =>
  new RunBodies(undefined, trim).ofRun(body);

test("bodies of a run are shown whole, cut or not at all", () => {
  assert.equal(shown("whole", bytes("aé")), "aé");
  assert.equal(shown(1, bytes("aé")), "a");
  assert.equal(shown(2, bytes("aé")), "a\ufffd");
  assert.equal(shown("none", bytes("a")), undefined);
  const binary = Uint8Array.of(0x61, 0xff, 0xfe);
  assert.equal(shown("whole", binary), Buffer.from(binary).toString("base64"));
  assert.equal(shown(2, binary), Buffer.from(binary.subarray(0, 2)).toString("base64"));
  assert.equal(new RunBodies(undefined, "whole").ofRun(undefined), undefined);
  assert.equal(new RunBodies(undefined, "none").answer(bytes("a")), undefined);
});

test("a stored hash is that of the payload, not of another body", () => {
  const redact = { body: true, allHeaders: false, headers: [], bodyHash: "of the payload" };
  const bodies = new RunBodies(redact, "whole");
  assert.match(bodies.ofRun("a") ?? "", /^REDACTED:[0-9a-f]{64}$/);
  assert.equal(bodies.answered(false, bytes("a")), "a");
  assert.match(bodies.answered(true, bytes("a")) ?? "", /^REDACTED:/);
});

test("what an invoked run was given is hidden as that run asks", () => {
  const settings = { timeoutMs: 1, retries: 0 };
  const redact = { body: true, allHeaders: true, headers: [] };
  const given = (trim: "whole" | "none", more = {}) =>
    new RunBodies(undefined, trim).given(
      { headers: [["x-a", "1"]], settings: { ...settings, ...more } },
      bytes("in"),
    );
  assert.equal(given("whole").body, "in");
  assert.equal(given("none").body, undefined);
  assert.deepEqual({ ...given("none").headers }, { "X-A": ["1"] });
  assert.match(given("whole", { redact }).body ?? "", /^REDACTED:/);
  assert.equal(given("none", { redact }).body, undefined);
});
