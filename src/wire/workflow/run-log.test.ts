import assert from "node:assert/strict";
import { test } from "node:test";
import { aMessage, anAttempt, bytes, START_AT } from "../../../test/support/messages.ts";
import { aRunState, aStep } from "../../../test/support/runs.ts";
import { type AttemptRecord, encodeAnswerHeaders } from "../../core/model/message/attempt.ts";
import type { DeadRun } from "../../core/model/workflow/dead-run.ts";
import type { FailureLog, StepRecord } from "../../core/model/workflow/run-log.ts";
import type { RunEvent } from "../../core/views/run-events.ts";
import { deadRunJson, runEventJson, runLogJson } from "./run-log.ts";

interface Shown extends Record<string, unknown> {
  readonly type?: string;
  readonly steps?: unknown;
}

const plain = (value: unknown): Record<string, unknown> =>
  JSON.parse(JSON.stringify(value)) as Record<string, unknown>;

const INVOKER = {
  accountId: "account",
  runId: "parent",
  createdAt: 5,
  step: aStep(3),
  requested: aMessage({ url: "https://parent.test" }),
};
const FLOW = { key: "key", periodMs: 1_000 };
const RUN = { invoker: INVOKER, labels: ["l", "m"], flowControl: FLOW };
const FAILURE = { deadLetter: { diedAt: 7, number: 2 }, messageId: "step" };
const STATE = aRunState(RUN, { phase: "failed", endedAt: 9, failure: FAILURE });
const SHARED = {
  workflowRunId: "run",
  workflowUrl: "https://example.test/workflow",
  dlqId: "7-2",
  label: "l",
  labels: ["l", "m"],
};
const BUSY = anAttempt({
  status: 503,
  headers: encodeAnswerHeaders([["X-A", "1"]], true),
  body: bytes('{"error":"E","message":"m"}'),
  endedAt: START_AT + 3,
});
const SHOWN_HEADERS = { "X-A": ["1"] };

const eventJson = (event: Partial<RunEvent>, state = STATE) =>
  plain(
    runEventJson(
      { state, response: bytes("out"), event: { at: 8, state: "RUN_STARTED", ...event } },
      "whole",
    ),
  );

test("an event tells of its run and of who invoked it", () => {
  const shown = {
    ...SHARED,
    time: 8,
    state: "RUN_STARTED",
    workflowCreatedAt: START_AT,
    headers: { "X-Own": ["yes"] },
    invokerWorkflowRunId: "parent",
    invokerWorkflowUrl: "https://parent.test",
    invokerWorkflowCreatedAt: 5,
    callerIp: "192.0.2.1",
  };
  assert.deepEqual(eventJson({}), shown);
  const alone = eventJson({}, aRunState());
  assert.deepEqual(
    ["dlqId", "invokerWorkflowRunId", "invokerWorkflowUrl", "label"].map((name) => alone[name]),
    [undefined, undefined, undefined, undefined],
  );
});

const responseOf = (event: Partial<RunEvent>) => eventJson(event)["workflowRunResponse"];

test("the end of a run shows its response, an event of a message does not", () => {
  assert.equal(responseOf({ state: "RUN_FAILED" }), "out");
  assert.equal(responseOf({ state: "RUN_STARTED" }), undefined);
  assert.equal(responseOf({ state: "STEP_FAILED", messageId: "m" }), undefined);
});

const STEP: StepRecord = {
  stepId: 1,
  stepName: "first",
  stepType: "Run",
  callType: "step",
  messageId: "m",
  state: "STEP_RETRY",
  createdAt: 6,
  concurrent: 1,
  errors: [],
};

test("an event of a message shows its attempt", () => {
  const event = { state: "STEP_RETRY", messageId: "m", nextDeliveryAt: 20 } as const;
  const shown = eventJson({ ...event, attempt: BUSY, step: STEP });
  assert.deepEqual(
    [shown["messageId"], shown["nextDeliveryTime"], shown["error"], shown["responseStatus"]],
    ["m", 20, "503 Service Unavailable", 503],
  );
  assert.deepEqual(shown["responseHeaders"], SHOWN_HEADERS);
  assert.equal(shown["responseBody"], '{"error":"E","message":"m"}');
  assert.equal(shown["responseBodyTruncated"], true);
  assert.equal((shown["stepInfo"] as { stepName: string }).stepName, "first");
});

const errorOf = (fields: Partial<AttemptRecord>) =>
  eventJson({ messageId: "m", attempt: { ...BUSY, ...fields } })["error"];

test("an attempt with another status than 2xx, or an error, has an error", () => {
  assert.deepEqual([errorOf({ status: 200 }), errorOf({ status: 299 })], [undefined, undefined]);
  assert.equal(errorOf({ status: 199 }), "199");
  assert.equal(errorOf({ status: 300 }), "300 Multiple Choices");
  assert.equal(errorOf({ status: 200, error: "broken off" }), "broken off");
});

test("what a call was answered is hidden where the run hides bodies", () => {
  const redact = { body: true, allHeaders: false, headers: [] };
  const hiding = aRunState({ redact });
  const body = (isCall: boolean) =>
    eventJson({ messageId: "m", attempt: BUSY, isCall }, hiding)["responseBody"];
  assert.equal(body(false), '{"error":"E","message":"m"}');
  assert.match(String(body(true)), /^REDACTED:/);
});

const REPORT: FailureLog = {
  messageId: "report",
  state: "failed",
  url: "https://failed.test",
  retries: 2,
  failed: BUSY,
  answer: { ...BUSY, status: 500, body: bytes("no") },
  errors: [BUSY],
};
const logJson = (failure: FailureLog | null, state = STATE) =>
  plain(runLogJson({ state, response: bytes("out"), groups: [], failure }, "whole"));

test("a run shows its state, its end and who invoked it", () => {
  assert.deepEqual(logJson(null), {
    ...SHARED,
    workflowState: "RUN_FAILED",
    workflowRunCreatedAt: START_AT,
    workflowRunCompletedAt: 9,
    workflowRunCallerIp: "192.0.2.1",
    workflowRunResponse: "out",
    steps: [],
    invoker: {
      workflowRunId: "parent",
      workflowUrl: "https://parent.test",
      workflowRunCreatedAt: 5,
    },
    flowControlKey: "key",
  });
  const open = logJson(null, aRunState());
  assert.deepEqual([open["invoker"], open["workflowRunCompletedAt"]], [undefined, undefined]);
});

test("an error names what the endpoint answered, one of a call does not", () => {
  const step: StepRecord = {
    ...STEP,
    errors: [BUSY],
    call: undefined,
    settings: { retries: 4, retryDelay: "5", timeoutMs: 1 },
    nextDeliveryAt: 20,
    waitMs: 1_500,
  };
  const answer = { ...BUSY, status: 200, body: bytes("answer") };
  const call = {
    url: "https://c.test",
    method: "PUT",
    headers: [],
    body: bytes("in"),
    answer,
  } as const;
  const groups = [
    { type: "parallel", steps: [step, { ...step, call }] },
    { type: "next", steps: [{ messageId: "n", state: "STEP_PROGRESS", errors: [] }] },
  ] as const;
  const shown = plain(runLogJson({ state: STATE, response: null, groups, failure: null }, "whole"));
  const [parallel, next] = shown["steps"] as [Shown, Shown];
  const [plainStep, callStep] = parallel.steps as [Shown, Shown];
  assert.deepEqual([parallel.type, next.type], ["parallel", "next"]);
  assert.deepEqual(next.steps, [{ messageId: "n", state: "STEP_PROGRESS" }]);
  const names = (of: Shown) =>
    (of["errors"] as Shown[]).map(({ name, message }) => [name, message]);
  assert.deepEqual([names(plainStep), names(callStep)], [[["E", "m"]], [[undefined, undefined]]]);
  const { retries, retryDelay, nextDeliveryTime, waitTimeoutDuration } = plainStep;
  assert.deepEqual(
    [retries, retryDelay, nextDeliveryTime, waitTimeoutDuration],
    [4, "5", 20, "1.5s"],
  );
  const { callUrl, callMethod, callBody, callResponseStatus, callResponseBody } = callStep;
  assert.deepEqual(
    [callUrl, callMethod, callBody, callResponseStatus, callResponseBody],
    ["https://c.test", "PUT", "in", 200, "answer"],
  );
  assert.equal(callStep["callResponseBodyTruncated"], true);
});

test("the report of its failure shows what failed and what was answered", () => {
  const error = {
    error: "503 Service Unavailable",
    name: "E",
    message: "m",
    body: '{"error":"E","message":"m"}',
    bodyTruncated: true,
    headers: SHOWN_HEADERS,
    status: 503,
    time: START_AT + 3,
  };
  assert.deepEqual(logJson(REPORT)["failureFunction"], {
    messageId: "report",
    url: "https://failed.test",
    state: "CALLBACK_FAIL",
    dlqId: "7-2",
    failHeaders: SHOWN_HEADERS,
    failStatus: 503,
    failResponse: "m",
    responseBody: "no",
    responseBodyTruncated: true,
    responseHeaders: SHOWN_HEADERS,
    responseStatus: 500,
    maxRetries: 2,
    errors: [error],
  });
  const bare = { ...REPORT, failed: null, answer: null, errors: [] };
  assert.deepEqual(logJson(bare)["failureFunction"], {
    messageId: "report",
    url: "https://failed.test",
    state: "CALLBACK_FAIL",
    dlqId: "7-2",
    maxRetries: 2,
  });
});

const failResponseOf = (body: string, error?: string) => {
  const failed = { ...BUSY, body: bytes(body), error };
  return (logJson({ ...REPORT, failed })["failureFunction"] as { failResponse?: string })
    .failResponse;
};

test("a failure is told by the message in its answer, its answer, or its error", () => {
  assert.equal(failResponseOf('{"message":7}'), '{"message":7}');
  assert.equal(failResponseOf("<html>", "e"), "<html>");
  assert.equal(failResponseOf("", "refused"), "refused");
  assert.equal(failResponseOf(""), "");
});

test("a failed run shows its start, its end and how its report stands", () => {
  const call = { messageId: "report", state: "failed" } as const;
  const dead: DeadRun = {
    deadLetter: {
      ...FAILURE.deadLetter,
      accountId: "account",
      messageId: "step",
      attempt: 1,
      status: 503,
      cause: "E: m",
    },
    state: { ...STATE, failure: { ...FAILURE, call } },
    payload: bytes("payload"),
    body: bytes("body"),
    message: aMessage({ messageId: "step", method: "PUT", notBefore: 3 }),
    attempt: null,
    reportAnswer: { ...BUSY, body: bytes("no") },
  };
  const shown = plain(deadRunJson(dead));
  assert.deepEqual(shown["failureCallbackInfo"], {
    state: "CALLBACK_FAIL",
    responseStatus: 503,
    responseBody: "no",
    responseHeaders: SHOWN_HEADERS,
  });
  assert.deepEqual(
    ["dlqId", "messageId", "method", "body", "notBefore", "workflowRunId", "url", "cause"].map(
      (name) => shown[name],
    ),
    ["7-2", "step", "PUT", "payload", 3, "run", "https://example.test/workflow", "E: m"],
  );
  assert.deepEqual(
    [shown["workflowCreatedAt"], shown["createdAt"], shown["failureFunctionState"]],
    [START_AT, START_AT, "CALLBACK_FAIL"],
  );
  assert.deepEqual(shown["header"], { "X-Own": ["yes"] });
  const silent = plain(deadRunJson({ ...dead, reportAnswer: null }));
  assert.deepEqual(silent["failureCallbackInfo"], { state: "CALLBACK_FAIL" });
  const none = plain(deadRunJson({ ...dead, state: STATE }));
  assert.deepEqual(
    [none["failureCallbackInfo"], none["failureFunctionState"]],
    [undefined, undefined],
  );
});

test("a name and a message are shown up to 100 and 1,000 characters", () => {
  const body = bytes(JSON.stringify({ error: "E".repeat(101), message: "m".repeat(1_001) }));
  const errors = [{ ...BUSY, body }];
  const { failureFunction } = logJson({ ...REPORT, errors }) as { failureFunction: Shown };
  const [{ name, message }] = failureFunction["errors"] as [{ name: string; message: string }];
  assert.deepEqual([name.length, message.length], [100, 1_000]);
});
