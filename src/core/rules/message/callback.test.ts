import assert from "node:assert/strict";
import { test } from "node:test";
import {
  aCallback,
  aMessage,
  aNewMessage,
  anAttempt,
  bytes,
  type MessageWish,
} from "../../../../test/support/messages.ts";
import type { SettleAct } from "./settlement.ts";
import { decodeFacts } from "../../model/message/settings.ts";
import { callbackOf, failureCallbackOf } from "./callback.ts";

const AT = 8_000;

test("without a callback URL nothing is reported", () => {
  const act = anAct({});
  const { state } = aNewMessage();
  assert.deepEqual(callbackOf(act.source!, act, state), []);
  assert.deepEqual(failureCallbackOf(act.source!, act, state, "1-1"), []);
});

test("the headers of a callback are hidden where those of its message are", () => {
  const callback = aCallback({ headers: [["x-key", "secret"]] });
  const redactOf = (redact: MessageWish["redact"]) => {
    const act = anAct({ callback, ...(redact === undefined ? {} : { redact }) });
    const [added] = callbackOf(act.source!, act, aNewMessage().state);
    assert.ok(added?.type === "message.added");
    return decodeFacts(added.message.facts).settings.redact;
  };
  assert.equal(redactOf(undefined), undefined);
  assert.equal(redactOf({ body: true, allHeaders: false, headers: [] }), undefined);
  const named = { body: false, allHeaders: false, headers: ["x-key"] };
  assert.deepEqual(redactOf({ ...named, body: true }), named);
  const all = { body: false, allHeaders: true, headers: [] };
  assert.deepEqual(redactOf(all), all);
});

test("a callback is a message of its own, with the settings that were asked for", () => {
  const callback = aCallback({ headers: [["x", "y"]], retries: 1, timeoutMs: 5, delayMs: 40 });
  const act = anAct({ callback, labels: ["one"] });
  const [added] = callbackOf(act.source!, act, aNewMessage().state);
  assert.ok(added?.type === "message.added");
  const { state, facts, body } = added.message;
  assert.deepEqual(decodeFacts(facts), {
    accountId: "account",
    messageId: "callback",
    kind: "callback",
    dialect: "svc",
    url: callback.url,
    method: "POST",
    headers: [
      ["Content-Type", "application/json"],
      ["x", "y"],
    ],
    settings: { timeoutMs: 5, retries: 1, labels: ["one"] },
    callerIp: "192.0.2.1",
    sourceId: "message",
    createdAt: AT,
    notBefore: AT + 40,
  });
  assert.deepEqual([state.phase, state.readyAt], ["waiting", AT + 40]);
  assert.deepEqual([state.line, state.lineAfter], ["h:callback.test", null]);
  assert.equal(state.bytes, body.byteLength);
});

test("it tells of the attempt, and of the message whose attempt it was", () => {
  const act = anAct({ callback: aCallback() });
  const [added] = callbackOf(act.source!, act, aNewMessage().state);
  assert.ok(added?.type === "message.added");
  const report = JSON.parse(Buffer.from(added.message.body).toString()) as Record<string, unknown>;
  assert.equal(report["status"], 502);
  assert.equal(report["retried"], 1);
  assert.equal(report["maxRetries"], 3);
  assert.deepEqual(report["header"], { "X-Answer": ["1"] });
  assert.equal(report["body"], Buffer.from("answer").toString("base64"));
  assert.equal(report["sourceMessageId"], "message");
  assert.equal(report["sourceBody"], Buffer.from("body").toString("base64"));
  assert.ok(!("dlqId" in report));
});

test("a failure callback names the dead letter", () => {
  const act = anAct({ failureCallback: aCallback() });
  const [added] = failureCallbackOf(act.source!, act, aNewMessage().state, "8000-7");
  assert.ok(added?.type === "message.added");
  assert.equal(added.message.state.messageId, "failure");
  const report = JSON.parse(Buffer.from(added.message.body).toString()) as Record<string, unknown>;
  assert.equal(report["dlqId"], "8000-7");
});

test("in a queue it holds its root's slot", () => {
  const act = anAct({ callback: aCallback() });
  const { state } = aNewMessage({ queueName: "queue" });
  const [added] = callbackOf(act.source!, act, { ...state, queue: "q:queue" });
  assert.ok(added?.type === "message.added");
  assert.equal(added.message.state.rootId, "message");
  assert.equal(added.message.state.queue, "q:queue");
  assert.equal(decodeFacts(added.message.facts).rootId, "message");
});

function anAct(wish: MessageWish): SettleAct {
  return {
    rule: "settle",
    at: AT,
    lease: { accountId: "account", messageId: "message", fence: 1 },
    verdict: { kind: "dead" },
    attempt: anAttempt({ number: 2, status: 502, headers: '[["x-answer","1"]]' }),
    source: {
      message: aMessage(wish),
      body: bytes("body"),
      responseBody: bytes("answer"),
      callbackId: "callback",
      failureCallbackId: "failure",
      invokerMessageId: "msg_invoker",
    },
  };
}
