import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes } from "../../../../test/support/messages.ts";
import type { Account } from "../../model/account/account.ts";
import { decodeFacts } from "../../model/message/settings.ts";
import type { Message, Redaction } from "../../model/message/message.ts";
import type { PublishOptions } from "../../model/message/publish-options.ts";
import { Problem } from "../../problem.ts";
import { type Composition, composeMessage, newMessage } from "./compose-message.ts";
import { limitsFor, OWNER_OVERRIDES } from "../../policy/limits/limits.ts";

const AT = 1_700_000_000_000;
const DAY_MS = 86_400_000;
const account: Account = {
  accountId: "a",
  dialect: null,
  limits: limitsFor("paid"),
  isHalted: false,
};

const compose = (
  { settings, ...options }: Partial<PublishOptions> = {},
  more: Partial<Composition> = {},
) =>
  composeMessage({
    body: new Uint8Array(0),
    account,
    options: { dialect: "svc", headers: [], settings: settings ?? {}, ...options },
    messageId: "msg_1",
    url: "https://example.test/x",
    callerIp: "192.0.2.1",
    at: AT,
    ...more,
  });

const timeoutOf = (timeoutMs: number) => compose({ settings: { timeoutMs } }).settings.timeoutMs;

const refusedWith = (sentence: string) => (error: unknown) =>
  error instanceof Problem && error.status === 412 && error.message === sentence;

test("without wishes the account's defaults hold", () => {
  const message = compose();
  assert.equal(message.method, "POST");
  assert.equal(message.settings.retries, 5);
  assert.equal(message.settings.timeoutMs, 7_200_000);
  assert.equal(message.notBefore, AT);
  assert.equal(message.createdAt, AT);
  assert.equal(message.settings.callback, undefined);
  assert.equal(message.rootId, undefined);
  assert.equal(message.kind, "publish");
});

test("a timeout can only be shortened", () => {
  assert.equal(timeoutOf(1_000), 1_000);
  assert.equal(timeoutOf(99 * DAY_MS), 7_200_000);
  assert.equal(timeoutOf(0), 7_200_000);
});

test("retries and delays stay within the plan, callbacks included", () => {
  const retries = refusedWith("quota maxRetries exceeded, current limit: 999");
  const delay = refusedWith("quota maxDelay exceeded, current limit: 31536000");
  const callback = { url: "https://example.test/c", headers: [] };
  assert.equal(compose({ settings: { retries: 999 } }).settings.retries, 999);
  assert.throws(() => compose({ settings: { retries: 1_000 } }), retries);
  assert.throws(
    () => compose({ settings: { callback: { ...callback, retries: 1_000 } } }),
    retries,
  );
  assert.equal(compose({ delayMs: 365 * DAY_MS }).notBefore, AT + 365 * DAY_MS);
  assert.throws(() => compose({ delayMs: 365 * DAY_MS + 1 }), delay);
  assert.throws(() => compose({ notBefore: AT + 366 * DAY_MS }), delay);
  const failureCallback = { ...callback, delayMs: 365 * DAY_MS + 1 };
  assert.throws(() => compose({ settings: { failureCallback } }), delay);
});

const redactOf = (redact: Redaction) =>
  compose({ settings: { redact } }, { body: bytes("hello") }).settings.redact;

test("of a body that is hidden the hash is stored, and of another none", () => {
  const shown = { body: false, allHeaders: true, headers: [] };
  assert.deepEqual(redactOf(shown), shown);
  const bodyHash = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
  assert.deepEqual(redactOf({ ...shown, body: true }), { ...shown, body: true, bodyHash });
});

test("an instant wins over a delay, and one that has passed means now", () => {
  assert.equal(compose({ delayMs: 5_000 }).notBefore, AT + 5_000);
  assert.equal(compose({ delayMs: 5_000, notBefore: AT + 1_000 }).notBefore, AT + 1_000);
  assert.equal(compose({ notBefore: AT - 1_000 }).notBefore, AT);
});

test("a callback takes the message's retries unless it has its own", () => {
  const callback = { url: "https://example.test/c", headers: [] };
  const own = { retries: 0, method: "PUT", timeoutMs: 5_000, delayMs: 7_000 } as const;
  const { settings } = compose({
    settings: { retries: 2, callback, failureCallback: { ...callback, ...own } },
  });
  assert.deepEqual(
    [settings.callback?.retries, settings.callback?.method, settings.callback?.delayMs],
    [2, "POST", 0],
  );
  const { retries, method, timeoutMs, delayMs } = settings.failureCallback!;
  assert.deepEqual([retries, method, timeoutMs, delayMs], [0, "PUT", 5_000, 7_000]);
});

test("only a message in a queue holds a slot of it", () => {
  assert.equal(compose({}, { origin: { queueName: "q" } }).rootId, "msg_1");
});

test("a waiting message stands in the line of its host", () => {
  const message = compose({ delayMs: 1_000 });
  const { state, facts, createdAt } = newMessage(message, "example.test", Buffer.from("abc"), null);
  assert.deepEqual(decodeFacts(facts), JSON.parse(JSON.stringify(message)));
  assert.equal(createdAt, AT);
  assert.deepEqual(state, {
    accountId: "a",
    messageId: "msg_1",
    phase: "waiting",
    attempts: 0,
    readyAt: AT + 1_000,
    line: "h:example.test",
    lineAfter: null,
    host: "example.test",
    bytes: 3,
    fence: 0,
    nodeId: null,
    leasedAt: null,
    losses: 0,
    cancelRequested: false,
    rootId: null,
    queue: null,
    run: null,
  });
});

test("a message that is sent at once is stored already leased", () => {
  const { state } = newMessage(compose(), "example.test", new Uint8Array(0), "node-1");
  assert.deepEqual(
    [state.phase, state.fence, state.nodeId, state.leasedAt],
    ["active", 1, "node-1", AT],
  );
});

test("keys and queues are lines of their own", () => {
  const flowControl = { key: "k", rate: 1, periodMs: 1_000 };
  const keyed = newMessage(compose({ settings: { flowControl } }), "h", new Uint8Array(0), null);
  assert.equal(keyed.state.line, "k:k");
  const queued = compose({ settings: { flowControl } }, { origin: { queueName: "q" } });
  const { state } = newMessage(queued, "h", new Uint8Array(0), null);
  assert.deepEqual([state.line, state.lineAfter, state.rootId], ["q:q", "k:k", "msg_1"]);
});

test("the owner's accounts have no cap on parallelism", () => {
  assert.equal(limitsFor("paid", OWNER_OVERRIDES).parallelismMax, null);
  assert.equal(limitsFor("paid").parallelismMax, 100);
  assert.equal(limitsFor("free").retriesDefault, 3);
});

const usedBy = (message: Message) =>
  newMessage(message, "h", new Uint8Array(0), null).uses?.map(({ line }) => line);

test("a message uses its queue and its key, in this order, and a plain one no line", () => {
  const flowControl = { key: "key", periodMs: 1_000 };
  assert.equal(usedBy(compose()), undefined);
  const both = { ...compose({ settings: { flowControl } }), queueName: "queue" };
  assert.deepEqual(usedBy(both), ["q:queue", "k:key"]);
});

test("a delay of a millisecond is one", () => {
  assert.equal(compose({ delayMs: 1 }).notBefore, AT + 1);
  assert.equal(compose({ delayMs: 0 }).notBefore, AT);
  assert.equal(compose({ notBefore: AT + 1, delayMs: 9 }).notBefore, AT + 1);
  assert.equal(compose({ notBefore: AT - 1, delayMs: 9 }).notBefore, AT);
});
