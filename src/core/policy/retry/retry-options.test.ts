import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../../model/message/message.ts";
import type { GivenSettings, PublishOptions } from "../../model/message/publish-options.ts";
import { retryOptions } from "./retry-options.ts";

const message: Message = {
  accountId: "a",
  messageId: "msg_1",
  kind: "publish",
  dialect: "upstash",
  url: "https://a.test",
  method: "PUT",
  headers: [
    ["Content-Type", "text/plain"],
    ["X-A", "old"],
  ],
  settings: { timeoutMs: 5_000, retries: 4, retryDelay: "1000", labels: ["l"] },
  callerIp: "192.0.2.1",
  createdAt: 1,
  notBefore: 100,
  hops: 2,
};
const nothing: PublishOptions = { dialect: "svc", headers: [], settings: {} };

test("without wishes everything is as it was, save the delay", () => {
  const options = retryOptions(message, nothing);
  assert.equal(options.dialect, "upstash");
  assert.equal(options.method, "PUT");
  assert.deepEqual(options.headers, message.headers);
  const { retries, retryDelay, timeoutMs, labels } = options.settings;
  assert.deepEqual([retries, retryDelay, timeoutMs, labels], [4, "1000", 5_000, ["l"]]);
  assert.equal(options.hops, 2);
  assert.equal(options.delayMs, undefined);
  assert.equal(options.notBefore, undefined);
});

/** A message with every setting, and another value for each. */
const FULL: PublishOptions = {
  dialect: "upstash",
  method: "PUT",
  headers: message.headers,
  settings: {
    timeoutMs: 5_000,
    retries: 4,
    retryDelay: "1000",
    callback: { url: "https://callback.test", headers: [["X-B", "b"]], retries: 1, delayMs: 5 },
    failureCallback: { url: "https://failure.test", headers: [], method: "PUT", timeoutMs: 6 },
    labels: ["l"],
    redact: { body: true, bodyHash: "x", allHeaders: false, headers: ["x-a"] },
    flowControl: { key: "key", parallelism: 2, rate: 3, periodMs: 4_000 },
  },
  hops: 2,
};
const OTHERS: GivenSettings = {
  timeoutMs: 1_000,
  retries: 0,
  retryDelay: "5",
  callback: { url: "https://other-callback.test", headers: [] },
  failureCallback: { url: "https://other-failure.test", headers: [] },
  labels: ["m"],
  flowControl: { key: "other", periodMs: 1_000 },
};

test("every setting is carried over, and one that is given leaves the others alone", () => {
  const dead: Message = { ...message, ...FULL } as Message;
  const [delayMs, notBefore] = [undefined, undefined];
  assert.deepEqual(retryOptions(dead, nothing), { ...FULL, delayMs, notBefore });
  for (const [name, value] of Object.entries(OTHERS)) {
    const { settings } = retryOptions(dead, { ...nothing, settings: { [name]: value } });
    assert.deepEqual(settings, { ...FULL.settings, [name]: value }, name);
  }
  const { method, settings } = retryOptions(dead, { ...nothing, method: "PATCH" });
  assert.deepEqual([method, settings], ["PATCH", FULL.settings]);
});

test("what is given anew replaces what was, header by header", () => {
  const options = retryOptions(message, {
    ...nothing,
    settings: { retries: 0 },
    delayMs: 10,
    headers: [["x-a", "new"]],
  });
  assert.equal(options.settings.retries, 0);
  assert.equal(options.delayMs, 10);
  assert.deepEqual(options.headers, [
    ["Content-Type", "text/plain"],
    ["x-a", "new"],
  ]);
});

test("what was hidden stays hidden, whatever is asked anew", () => {
  const hidden = { body: true, bodyHash: "x", allHeaders: false, headers: ["x-a"] };
  const given = { body: false, allHeaders: false, headers: ["x-b", "x-a"] };
  const redacted = { ...message, settings: { ...message.settings, redact: hidden } };
  const anew = { ...nothing, settings: { redact: given } };
  assert.deepEqual(retryOptions(redacted, nothing).settings.redact, hidden);
  assert.deepEqual(retryOptions(redacted, anew).settings.redact, {
    body: true,
    allHeaders: false,
    headers: ["x-a", "x-b"],
  });
  assert.deepEqual(retryOptions(message, anew).settings.redact, given);
});
