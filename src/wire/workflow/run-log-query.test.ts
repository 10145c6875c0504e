import assert from "node:assert/strict";
import { test } from "node:test";
import { readRunEventQuery, readRunLogQuery } from "./run-log-query.ts";

test("logs list runs without bodies, events list events with them", () => {
  const { trim, count, filter } = readRunLogQuery("groupBy=workflowRunId");
  assert.deepEqual([trim, count, Object.values(filter).filter(Boolean)], ["none", 10, []]);
  const events = readRunEventQuery("");
  assert.deepEqual([events.trim, events.count, events.lists], ["whole", 1_000, "events"]);
  const runs = readRunEventQuery("groupBy=workflowRunId");
  assert.deepEqual([runs.trim, runs.count, runs.lists], ["whole", 10, "runs"]);
});

test("each list has its largest page", () => {
  const grouped = "groupBy=workflowRunId&count";
  assert.equal(readRunEventQuery(`${grouped}=100`).count, 100);
  assert.throws(() => readRunEventQuery(`${grouped}=101`), /count: must be from 1 to 100/);
  assert.equal(readRunLogQuery(`${grouped}=10`).count, 10);
  assert.throws(() => readRunLogQuery(`${grouped}=11`), /count: must be from 1 to 10/);
  assert.equal(readRunEventQuery("count=1000").count, 1_000);
  assert.throws(() => readRunEventQuery("count=1001"), /count: must be from 1 to 1000/);
});

test("bodies are shown as far as is asked for", () => {
  assert.equal(readRunEventQuery("trimBody=-1").trim, "none");
  assert.equal(readRunEventQuery("trimBody=0").trim, 0);
  assert.equal(readRunLogQuery("trimBody=7").trim, 7);
  assert.throws(() => readRunEventQuery("trimBody=-2"), /trimBody: is not a whole number/);
});

test("named runs are found whatever else is asked for", () => {
  const { filter, states } = readRunLogQuery("workflowRuns=a@b@7,c@8&label=x&state=RUN_FAILED");
  const keys = [
    { runId: "a@b", createdAt: 7 },
    { runId: "c", createdAt: 8 },
  ];
  assert.deepEqual([filter, states], [{ keys }, undefined]);
  for (const key of ["a", "@7"]) {
    const refused = /workflowRuns: must be <workflowRunId>@<workflowCreatedAt>/;
    assert.throws(() => readRunLogQuery(`workflowRuns=${key}`), refused);
  }
  assert.throws(() => readRunLogQuery("workflowRuns=a@x"), /workflowRuns: is not a whole number/);
});

test("states are those of runs and steps, and messages are named", () => {
  const { states, messageIds } = readRunLogQuery("state=RUN_FAILED,STEP_RETRY&messageId=m");
  assert.deepEqual([states, messageIds], [["RUN_FAILED", "STEP_RETRY"], ["m"]]);
  assert.throws(() => readRunLogQuery("state=OTHER"), /state: /);
  assert.throws(() => readRunLogQuery("groupBy=other"), /groupBy: must be one of workflowRunId/);
});

test("the URL of a workflow has a scheme", () => {
  const { filter } = readRunLogQuery("workflowUrl=https://a.test,http://b.test");
  assert.deepEqual(filter.workflowUrls, ["https://a.test", "http://b.test"]);
  const refused = /workflowUrl: must begin with http:\/\/ or https:\/\//;
  assert.throws(() => readRunLogQuery("workflowUrl=a.test"), refused);
  assert.throws(() => readRunLogQuery("workflowUrl=https://a.test&workflowUrl=b"), refused);
});
