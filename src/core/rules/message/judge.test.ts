import assert from "node:assert/strict";
import { test } from "node:test";

import { aMessage } from "../../../../test/support/messages.ts";
import type { Attempt, BodyCut, Outcome } from "../../model/message/attempt.ts";
import type { Message } from "../../model/message/message.ts";
import { judge, NOT_A_WORKFLOW, NOTHING_SUBMITTED, SDK_TOO_OLD } from "./judge.ts";

const ENDED_AT = 1_000_000;
const message = aMessage({ retries: 2, retryDelay: "1000 * (1 + retried)" });

test("every 2xx is delivered, and nothing else", () => {
  for (const status of [200, 204, 299]) {
    assert.deepEqual(judge(message, attempt(1, answer(status)), 0), { kind: "delivered" });
  }
  for (const status of [199, 300, 302, 404, 500]) {
    assert.equal(judge(message, attempt(1, answer(status)), 0).kind, "retry");
  }
});

test("attempts in all are one more than retries", () => {
  const kinds = [1, 2, 3, 4].map((number) => judge(message, attempt(number, answer(500)), 0).kind);
  assert.deepEqual(kinds, ["retry", "retry", "dead", "dead"]);
  const none = judge(aMessage({ retries: 0 }), attempt(1, answer(500)), 0);
  assert.deepEqual(none, { kind: "dead" });
});

test("the wait is the expression's, counted from the end of the attempt", () => {
  const waits = [1, 2].map((number) => judge(message, attempt(number, answer(500)), 0));
  assert.deepEqual(waits, [
    { kind: "retry", readyAt: ENDED_AT + 1_000 },
    { kind: "retry", readyAt: ENDED_AT + 2_000 },
  ]);
});

test("a destination that says when to come again is heard", () => {
  const busy = answer(503, [["Retry-After", "7"]]);
  assert.deepEqual(judge(message, attempt(1, busy), 0), {
    kind: "retry",
    readyAt: ENDED_AT + 7_000,
  });
});

test("no answer is tried again, unless that cannot help", () => {
  const refused = { kind: "no-answer", error: "connection refused", final: false } as const;
  assert.equal(judge(message, attempt(1, refused), 0).kind, "retry");
  assert.deepEqual(judge(message, attempt(1, { ...refused, final: true }), 0), { kind: "dead" });
});

test("489 with its header is final", () => {
  const final = answer(489, [["Svc-NonRetryable-Error", "true"]]);
  assert.deepEqual(judge(message, attempt(1, final), 0), { kind: "dead" });
  assert.equal(judge(message, attempt(1, answer(489)), 0).kind, "retry");
});

test("jitter lengthens the default backoff by up to a tenth", () => {
  const plain = aMessage({ retries: 2 });
  const least = judge(plain, attempt(1, answer(500)), 0);
  const most = judge(plain, attempt(1, answer(500)), 1);
  assert.ok(least.kind === "retry" && most.kind === "retry");
  const ratio = (most.readyAt - ENDED_AT) / (least.readyAt - ENDED_AT);
  assert.ok(Math.abs(ratio - 1.1) < 0.001);
});

function attempt(number: number, outcome: Outcome): Attempt {
  return { number, startedAt: ENDED_AT - 10, endedAt: ENDED_AT, outcome };
}

function answer(status: number, headers: [string, string][] = []): Outcome {
  return { kind: "answer", status, headers, body: new Uint8Array() };
}

test("a call whose answer is not whole has failed", () => {
  const tooLarge = "the answer is larger than 7 bytes, the max_message_size of the account";
  assert.deepEqual(verdictOnCut("limit", 200), { kind: "dead", reason: tooLarge });
  const tooSmall = "the first 7 bytes of the answer came in too many small chunks";
  assert.deepEqual(verdictOnCut("chunks", 200), { kind: "dead", reason: tooSmall });
  // Another attempt may get the whole response, or a smaller one.
  assert.equal(verdictOnCut("broken", 200).kind, "retry");
  assert.equal(verdictOnCut("limit", 500).kind, "retry");
  assert.equal(verdictOnCut("limit", 200, "publish").kind, "delivered");
});

test("an answer that breaks off is a failed attempt; one that we cut is not", () => {
  const broke = "the connection broke before the end of the answer";
  for (const kind of ["publish", "callback", "step", "call"] as const) {
    assert.equal(verdictOnCut("broken", 200, kind).kind, "retry");
    assert.deepEqual(verdictOnCut("broken", 200, kind, 0), { kind: "dead", reason: broke });
    if (kind === "call") continue;
    assert.equal(verdictOnCut("limit", 200, kind).kind, "delivered");
    assert.equal(verdictOnCut("chunks", 200, kind).kind, "delivered");
    assert.deepEqual(verdictOnCut("broken", 500, kind, 0), { kind: "dead" });
  }
});

test("an accepted first delivery says why its run fails if nothing was submitted", () => {
  const run = { runId: "r", createdAt: 0, workflowUrl: "https://x.test/", ordinal: 0 };
  const verdictOn = (headers: [string, string][], status: number, detectTrigger = true) =>
    judge(
      { ...message, dialect: "upstash", run: { ...run, detectTrigger } },
      {
        number: 1,
        startedAt: 0,
        endedAt: 0,
        outcome: { kind: "answer", status, headers, body: new Uint8Array() },
      },
      0,
    );
  const version: [string, string] = ["upstash-workflow-sdk-version", "1"];
  assert.deepEqual(verdictOn([version], 200), accepted(SDK_TOO_OLD));
  const both: [string, string][] = [version, ["Upstash-workflow-sdk", "v1.3.3"]];
  assert.deepEqual(verdictOn(both, 200), accepted(NOTHING_SUBMITTED));
  assert.deepEqual(verdictOn([["Svc-Workflow-Sdk-Version", "1"]], 200), accepted(SDK_TOO_OLD));
  assert.deepEqual(verdictOn([], 200), accepted(NOT_A_WORKFLOW));
  assert.deepEqual(verdictOn([], 200, false), { kind: "delivered" });
  assert.equal(verdictOn([], 500).kind, "retry");
});

function accepted(idleReason: string): object {
  return { kind: "delivered", idleReason };
}

function verdictOnCut(cut: BodyCut, status: number, kind: Message["kind"] = "call", retries = 1) {
  const outcome = { kind: "answer", status, headers: [], body: new Uint8Array(7), cut } as const;
  return judge(aMessage({ ...message, kind, retries }), attempt(1, outcome), 0);
}
