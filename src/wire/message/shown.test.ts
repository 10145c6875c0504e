import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { type AttemptRecord, encodeAnswerHeaders } from "../../core/model/message/attempt.ts";
import type { DeadLetter } from "../../core/model/message/dead-letter.ts";
import type { LogEntry } from "../../core/model/message/log-entry.ts";
import type { Message } from "../../core/model/message/message.ts";
import {
  callbackJson,
  deadLetterGroupJson,
  deadLetterJson,
  logEntryJson,
  messageJson,
  messageWithStateJson,
} from "./message.ts";
import { SETTINGS } from "../../core/model/message/settings.ts";

const callback = {
  url: "https://example.com/back",
  method: "POST",
  headers: [["X-Callback-Key", "canary-callback"]],
  timeoutMs: 30_000,
  retries: 3,
  delayMs: 0,
} as const;

const FLOW = { key: "key", rate: 2, periodMs: 5_403_000 };
const MESSAGE: Message = {
  accountId: "account",
  messageId: "msg_1",
  kind: "publish",
  dialect: "svc",
  url: "http://example.com",
  method: "PUT",
  headers: [
    ["Content-Type", "text/plain"],
    ["X-Key", "canary-header"],
    ["X-Key", "canary-second"],
  ],
  settings: {
    timeoutMs: 30_000,
    retries: 3,
    retryDelay: "1000 * retried",
    callback,
    failureCallback: callback,
    labels: ["red", "blue"],
    flowControl: FLOW,
  },
  queueName: "queue",
  urlGroup: "group",
  endpointName: "first",
  scheduleId: "scd_1",
  callerIp: "203.0.113.9",
  createdAt: 1_000,
  notBefore: 2_000,
};
const BODY = Buffer.from("canary-body");
const ENTRY: LogEntry = {
  accountId: "account",
  messageId: "msg_1",
  at: 5_000,
  state: "RETRY",
  attempt: 1,
  status: 503,
  nextAt: 9_000,
};
const ATTEMPT: AttemptRecord = {
  accountId: "account",
  messageId: "msg_1",
  number: 1,
  startedAt: 4_000,
  endedAt: 5_000,
  status: 503,
  headers: '[["content-type","text/plain"]]',
  body: Buffer.from("busy"),
};
const DEAD_LETTER: DeadLetter = {
  accountId: "account",
  diedAt: 5_000,
  number: 7,
  messageId: "msg_1",
  attempt: 1,
  status: 503,
  cause: "status 503",
};

const SETTINGS_JSON = {
  messageId: "msg_1",
  url: "http://example.com",
  topicName: "group",
  endpointName: "first",
  queueName: "queue",
  scheduleId: "scd_1",
  method: "PUT",
  maxRetries: 3,
  retryDelayExpression: "1000 * retried",
  callback: "https://example.com/back",
  failureCallback: "https://example.com/back",
  label: "red",
  labels: ["red", "blue"],
  flowControlKey: "key",
  rate: 2,
  period: 5_403,
  header: { "Content-Type": ["text/plain"], "X-Key": ["canary-header", "canary-second"] },
};

const MESSAGE_JSON = {
  ...SETTINGS_JSON,
  body: "canary-body",
  notBefore: 2_000,
  createdAt: 1_000,
  timeout: 30,
  callbackHeader: { "X-Callback-Key": ["canary-callback"] },
  failureCallbackHeader: { "X-Callback-Key": ["canary-callback"] },
  callerIP: "203.0.113.9",
  callerIp: "203.0.113.9",
};

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

test("a message shows its settings, headers and body", () => {
  assert.deepEqual(plain(messageJson(MESSAGE, BODY)), MESSAGE_JSON);
});

test("every setting is shown in the members that its row names", () => {
  const named = Object.values(SETTINGS).flatMap((row): readonly string[] => row.members);
  const shown = messageJson(
    { ...MESSAGE, settings: { ...MESSAGE.settings, flowControl: { ...FLOW, parallelism: 1 } } },
    BODY,
  );
  for (const member of named)
    assert.notEqual(shown[member as keyof typeof shown], undefined, member);
});

test("a body is text or base64, and absent when empty", () => {
  const bare = { ...MESSAGE, headers: [], settings: { ...MESSAGE.settings, callback: undefined } };
  const binary = messageJson(bare, Buffer.from([0xff, 0xfe]));
  assert.deepEqual([binary["body"], binary["bodyBase64"]], [undefined, "//4="]);
  const empty = messageJson(bare, Buffer.alloc(0));
  assert.deepEqual([empty["body"], empty["bodyBase64"]], [undefined, undefined]);
  assert.deepEqual(plain(empty["header"]), {});
  const marked = messageJson(bare, Buffer.from("\ufeffa"));
  assert.equal(marked["body"], "\ufeffa");
});

test("a log entry repeats the settings and shows the attempt", () => {
  const shown = logEntryJson({ entry: ENTRY, message: MESSAGE, body: BODY, attempt: ATTEMPT });
  assert.deepEqual(plain(shown), {
    ...SETTINGS_JSON,
    time: 5_000,
    state: "RETRY",
    nextDeliveryTime: 9_000,
    retryDelayExpr: "1000 * retried",
    body: BODY.toString("base64"),
    timeout: 30_000,
    callbackHeaders: { "X-Callback-Key": ["canary-callback"] },
    failureCallbackHeaders: { "X-Callback-Key": ["canary-callback"] },
    callerIp: "203.0.113.9",
    attempt: 1,
    attemptStartedAt: 4_000,
    attemptDurationMs: 1_000,
    responseStatus: 503,
    responseHeader: { "Content-Type": ["text/plain"] },
    responseHeaders: { "Content-Type": ["text/plain"] },
    responseBody: Buffer.from("busy").toString("base64"),
  });
});

test("a log entry without an answer shows the error alone", () => {
  const entry = { ...ENTRY, error: "connection refused" };
  const attempt = { ...ATTEMPT, status: 0, headers: "[]", body: Buffer.alloc(0) };
  const shown = logEntryJson({ entry, message: MESSAGE, body: BODY, attempt });
  assert.equal(shown["error"], "connection refused");
  assert.ok(!("responseStatus" in shown));
});

const statusShown = (status: number | undefined) => {
  const entry = { ...ENTRY, status };
  return logEntryJson({ entry, message: MESSAGE, body: BODY, attempt: null })["responseStatus"];
};

test("an entry whose attempt is gone may still show its status", () => {
  assert.deepEqual(
    [statusShown(503), statusShown(0), statusShown(undefined)],
    [503, undefined, undefined],
  );
});

test("an attempt that ended before it began took no time, and one that was cut says so", () => {
  const headers = encodeAnswerHeaders([], true);
  const attempt = { ...ATTEMPT, startedAt: 6_000, headers, nodeId: "node" };
  const shown = logEntryJson({ entry: ENTRY, message: MESSAGE, body: BODY, attempt });
  assert.deepEqual(
    [shown["attemptDurationMs"], shown["responseBodyTruncated"], shown["nodeId"]],
    [0, true, "node"],
  );
});

test("the answer of a call is hidden where bodies are, that of any other message is not", () => {
  const redact = { body: true, allHeaders: false, headers: [], bodyHash: "not of the answer" };
  const shown = (kind: Message["kind"], given: typeof redact | undefined) => {
    const message = { ...MESSAGE, kind, settings: { ...MESSAGE.settings, redact: given } };
    return logEntryJson({ entry: ENTRY, message, body: BODY, attempt: ATTEMPT })["responseBody"];
  };
  const plainText = Buffer.from("busy").toString("base64");
  assert.equal(shown("step", redact), plainText);
  assert.equal(shown("call", undefined), plainText);
  assert.equal(shown("call", { ...redact, body: false }), plainText);
  const hash = createHash("sha256").update("busy").digest("hex");
  assert.equal(shown("call", redact), `REDACTED:${hash}`);
});

test("a message shows its state, why it waits and how it failed", () => {
  const waiting = { reason: "delay", endsAt: 9, line: null } as const;
  const failure = { error: "refused", status: 0, dlqId: "5-7" };
  const message = { ...MESSAGE, sourceId: "msg_0" };
  const shown = messageWithStateJson({ message, body: BODY, state: "RETRY", failure, waiting });
  assert.deepEqual(plain(shown), {
    ...MESSAGE_JSON,
    sourceMessageId: "msg_0",
    state: "RETRY",
    waiting: { reason: "delay", endsAt: 9 },
    error: "refused",
    responseStatus: 0,
    dlqId: "5-7",
  });
  const bare = { message: MESSAGE, body: BODY, state: "CREATED", failure: null } as const;
  assert.deepEqual(plain(messageWithStateJson(bare)), { ...MESSAGE_JSON, state: "CREATED" });
});

test("a callback shows where it goes and how it stands", () => {
  assert.deepEqual(callbackJson({ message: { ...MESSAGE, kind: "callback" }, state: "ACTIVE" }), {
    messageId: "msg_1",
    kind: "callback",
    url: "http://example.com",
    state: "ACTIVE",
    createdAt: 1_000,
  });
});

test("dead letters that failed alike are counted", () => {
  const hours = [{ at: 0, count: 2 }];
  const group = { cause: "c", count: 2, attempts: 8, firstAt: 1, lastAt: 3, hours };
  assert.deepEqual(deadLetterGroupJson({ ...group, status: 500, error: "e" }), {
    ...group,
    responseStatus: 500,
    error: "e",
  });
  assert.equal(deadLetterGroupJson({ ...group, status: 0, error: null }).error, undefined);
});

const timeoutShown = (timeoutMs: number) =>
  messageJson({ ...MESSAGE, settings: { ...MESSAGE.settings, timeoutMs } }, BODY)["timeout"];

test("the time of an attempt is shown in whole seconds, rounded up", () => {
  assert.deepEqual([timeoutShown(30_000), timeoutShown(30_001)], [30, 31]);
});

test("a dead letter is its message with the last answer", () => {
  const dead = { deadLetter: DEAD_LETTER, message: MESSAGE, body: BODY };
  assert.deepEqual(plain(deadLetterJson({ ...dead, attempt: ATTEMPT })), {
    ...MESSAGE_JSON,
    dlqId: "5000-7",
    responseStatus: 503,
    cause: "status 503",
    attempts: DEAD_LETTER.attempt,
    responseHeader: { "Content-Type": ["text/plain"] },
    responseBody: "busy",
  });
  const cut = { ...ATTEMPT, headers: encodeAnswerHeaders([], true) };
  assert.equal(deadLetterJson({ ...dead, attempt: cut })["responseBodyTruncated"], true);
  const silent = { ...DEAD_LETTER, status: 0, error: "connection refused" };
  const shown = plain(deadLetterJson({ ...dead, deadLetter: silent, attempt: null }));
  assert.deepEqual(shown, {
    ...MESSAGE_JSON,
    dlqId: "5000-7",
    responseStatus: 0,
    error: "connection refused",
    cause: "status 503",
    attempts: DEAD_LETTER.attempt,
  });
});

test("nothing that shows a message shows what was redacted", () => {
  const redact = { body: true, allHeaders: true, headers: [] };
  const message = { ...MESSAGE, settings: { ...MESSAGE.settings, redact } };
  const logged = { entry: ENTRY, message, body: BODY, attempt: ATTEMPT };
  const dead = { deadLetter: DEAD_LETTER, message, body: BODY, attempt: ATTEMPT };
  const hash = createHash("sha256").update(BODY).digest("hex");
  for (const shown of [messageJson(message, BODY), logEntryJson(logged), deadLetterJson(dead)]) {
    const text = JSON.stringify(shown);
    assert.ok(!text.includes("canary") && !text.includes(BODY.toString("base64")), text);
    assert.equal(shown["body"], `REDACTED:${hash}`);
  }
});
