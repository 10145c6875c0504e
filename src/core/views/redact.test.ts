import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import * as fc from "fast-check";
import type { Message } from "../model/message/message.ts";
import { Problem } from "../problem.ts";
import { callbackPayload } from "../rules/message/callback-payload.ts";
import { canonicalHeaderName, headerRecord } from "../policy/headers/header-name.ts";
import { parseRedaction, redactionOfFailure, visible } from "./redact.ts";
import { sha256Hex } from "../sha-256.ts";

const SECRET = "canary-7f3a";
const BODY = Buffer.from(`body ${SECRET}`);

const MESSAGE: Message = {
  accountId: "account",
  messageId: "msg_1",
  kind: "publish",
  dialect: "svc",
  url: "https://example.com/",
  method: "POST",
  headers: [
    ["Content-Type", "text/plain"],
    ["X-Key", SECRET],
  ],
  settings: { timeoutMs: 30_000, retries: 3 },
  callerIp: "203.0.113.9",
  createdAt: 1_000,
  notBefore: 2_000,
};

test("redacted fields are read in every spelling", () => {
  assert.deepEqual(parseRedaction("body, header[Authorization] ,headers[x-key]"), {
    body: true,
    allHeaders: false,
    headers: ["authorization", "x-key"],
  });
  assert.equal(parseRedaction("headers").allHeaders, true);
  assert.equal(parseRedaction("header").allHeaders, true);
});

test("an unknown field is refused rather than shown", () => {
  for (const text of ["", "bodies", "body,", "header[]", "header[a b]", "header[a", "url"]) {
    assert.throws(() => parseRedaction(text), Problem, text);
  }
  assert.throws(() => parseRedaction("body,".repeat(101)), Problem);
});

function hash(text: string | Buffer): string {
  return createHash("sha256").update(text).digest("hex");
}

test("what is hidden shows as its hash and nothing else", () => {
  const redact = { body: true, allHeaders: false, headers: ["x-key"] };
  const shown = visible({ ...MESSAGE, settings: { redact } }, BODY);
  assert.deepEqual(shown.headers, [
    ["Content-Type", "text/plain"],
    ["X-Key", `REDACTED:${hash(SECRET)}`],
  ]);
  assert.equal(shown.body, `REDACTED:${hash(BODY)}`);
  assert.equal(visible(MESSAGE, BODY).body, BODY);
});

function textOf(report: Parameters<typeof callbackPayload>[0]): string {
  return new TextDecoder().decode(callbackPayload(report));
}

test("a callback reports the attempt and its source", () => {
  const payload = JSON.parse(
    textOf({
      message: { ...MESSAGE, urlGroup: "group", scheduleId: "scd_1" },
      body: BODY,
      status: 503,
      responseHeaders: [
        ["content-type", "text/plain"],
        ["set-cookie", "a"],
        ["Set-Cookie", "b"],
      ],
      responseBody: Buffer.from("busy"),
      retried: 2,
      dlqId: "1-2",
    }),
  );
  assert.deepEqual(payload, {
    status: 503,
    header: { "Content-Type": ["text/plain"], "Set-Cookie": ["a", "b"] },
    body: Buffer.from("busy").toString("base64"),
    retried: 2,
    maxRetries: 3,
    dlqId: "1-2",
    sourceMessageId: "msg_1",
    topicName: "group",
    url: "https://example.com/",
    method: "POST",
    sourceHeader: { "Content-Type": ["text/plain"], "X-Key": [SECRET] },
    sourceBody: BODY.toString("base64"),
    notBefore: 2_000,
    createdAt: 1_000,
    scheduleId: "scd_1",
    callerIP: "203.0.113.9",
  });
});

test("a callback shows nothing that was redacted", () => {
  const redact = { body: true, allHeaders: true, headers: [] };
  const payload = textOf({
    message: { ...MESSAGE, settings: { ...MESSAGE.settings, redact } },
    body: BODY,
    status: 0,
    error: "connection refused",
    responseHeaders: [],
    responseBody: Buffer.alloc(0),
    retried: 0,
  });
  assert.ok(!payload.includes(SECRET) && !payload.includes(BODY.toString("base64")));
  const { status, error, body, header } = JSON.parse(payload) as Record<string, unknown>;
  assert.deepEqual([status, error, body, header], [0, "connection refused", "", {}]);
});

test("the report of a failed run hides its body where the run hides anything", () => {
  assert.equal(redactionOfFailure(undefined, BODY), undefined);
  for (const fields of ["body", "header[X-Key]", "headers"]) {
    const redact = redactionOfFailure(parseRedaction(fields), BODY);
    const { body } = visible({ headers: [], settings: { redact } }, BODY);
    assert.equal(body, `REDACTED:${sha256Hex(BODY)}`, fields);
  }
});

test("our SHA-256 is the platform's", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300, size: "max" }), (bytes) => {
      assert.equal(sha256Hex(bytes), createHash("sha256").update(bytes).digest("hex"));
    }),
    { numRuns: 1_000 },
  );
});

test("header names are shown in one spelling and never reach a prototype", () => {
  assert.equal(canonicalHeaderName("x-request-ID"), "X-Request-Id");
  assert.equal(canonicalHeaderName("__proto__"), "__proto__");
  const record = headerRecord([
    ["__proto__", "a"],
    ["constructor", "b"],
    ["toString", "c"],
  ]);
  assert.equal(JSON.stringify(record), '{"__proto__":["a"],"Constructor":["b"],"Tostring":["c"]}');
  assert.equal(headerRecord([]), undefined);
});
