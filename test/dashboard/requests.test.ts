/** What a form sends: headers of a message or a schedule, made of what the API shows of one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../../sdk/src/answers/message.ts";
import type { Schedule } from "../../sdk/src/answers/schedule.ts";
import { headerLines, headerPairs } from "../../dashboard/src/parts/header-lines.ts";
import { dashboardModule } from "../support/dashboard-modules.ts";

type Pairs = readonly (readonly [string, string])[];

const { withQuery } = await dashboardModule<{
  withQuery: (path: string, query: object) => string;
}>("app/api.ts");
const { isRedacted, publishOf } = await dashboardModule<{
  isRedacted: (message: Message) => boolean;
  publishOf: (message: Message) => { readonly headers: Pairs; readonly body: string };
}>("message/publish.ts");
const { draftOf, requestHeaders, whyNoEdit } = await dashboardModule<{
  draftOf: (schedule: Schedule) => { readonly headers: Pairs };
  requestHeaders: (draft: { readonly headers: Pairs }) => Pairs;
  whyNoEdit: (schedule: Schedule) => string | null;
}>("schedule/schedule-request.ts");
const { bodyOfBase64, bodyOfText, plainText } = await dashboardModule<{
  bodyOfBase64: (text: string | undefined) => { readonly kind: string };
  bodyOfText: (text: string | undefined) => { readonly kind: string };
  plainText: (body: { readonly kind: string }) => string | null;
}>("parts/body-text.ts");

const HASH = "a".repeat(64);
const MESSAGE = {
  url: "https://a.test/x",
  method: "PUT",
  header: { "Content-Type": ["text/plain"], "X-Team": ["a", "b"] },
  maxRetries: 3,
  timeout: 30,
  labels: ["one", "two"],
  callback: "https://a.test/done",
  body: "hello",
} as unknown as Message;

test("a message is sent again with its own settings", () => {
  const { headers, body } = publishOf(MESSAGE);
  assert.equal(body, "hello");
  assert.deepEqual(headers, [
    ["Content-Type", "text/plain"],
    ["Svc-Forward-X-Team", "a"],
    ["Svc-Forward-X-Team", "b"],
    ["Svc-Retries", "3"],
    ["Svc-Timeout", "30s"],
    ["Svc-Label", "one,two"],
    ["Svc-Callback", "https://a.test/done"],
    ["Svc-Method", "PUT"],
  ]);
});

test("it is sent again by the prefix that its receiver knows, or by none where it named none", () => {
  const upstash = { "Upstash-Message-Id": ["m"] };
  const { headers } = publishOf({ ...MESSAGE, addedHeader: upstash });
  assert.ok(headers.slice(1).every(([name]) => name.startsWith("Upstash-")));
  const { url, header } = MESSAGE;
  const plain = { url, method: "POST", maxRetries: 3, timeout: 30, body: "" } as Message;
  const both = { ...upstash, "Svc-Message-Id": ["m"] };
  const type = { "Content-Type": header["Content-Type"]! };
  assert.deepEqual(publishOf({ ...plain, header: type, addedHeader: both }).headers, [
    ["Content-Type", "text/plain"],
  ]);
});

test("a binary body is kept", () => {
  const { bytes, body } = publishOf({ ...MESSAGE, body: "", bodyBase64: "gA==" }) as {
    bytes?: Uint8Array;
    body: string;
  };
  assert.deepEqual([bytes, body], [new Uint8Array([128]), ""]);
});

test("what is hidden cannot be sent from here", () => {
  assert.equal(isRedacted(MESSAGE), false);
  assert.equal(isRedacted({ ...MESSAGE, body: `REDACTED:${HASH}` }), true);
  assert.equal(isRedacted({ ...MESSAGE, header: { "X-Key": [`REDACTED:${HASH}`] } }), true);
  assert.equal(isRedacted({ ...MESSAGE, bodyBase64: "gA==" }), false);
});

test("a schedule is saved with every setting that it has", () => {
  const schedule = {
    scheduleId: "daily",
    cron: "0 9 * * *",
    destination: "https://a.test/x",
    method: "GET",
    retries: 0,
    delay: 30,
    flowControlKey: "stripe",
    parallelism: 2,
    rate: 5,
    period: 60,
    header: { "X-Team": ["a"] },
    callbackHeader: { "X-Back": ["b"] },
  } as unknown as Schedule;
  assert.deepEqual(requestHeaders(draftOf(schedule)), [
    ["Svc-Cron", "0 9 * * *"],
    ["Svc-Schedule-Id", "daily"],
    ["Svc-Method", "GET"],
    ["Svc-Forward-X-Team", "a"],
    ["Svc-Retries", "0"],
    ["Svc-Delay", "30s"],
    ["Svc-Flow-Control-Key", "stripe"],
    ["Svc-Flow-Control-Value", "parallelism=2, rate=5, period=60s"],
    ["Svc-Callback-Forward-X-Back", "b"],
  ]);
  assert.equal(whyNoEdit(schedule), null);
  assert.match(whyNoEdit({ ...schedule, body: `REDACTED:${HASH}` }) ?? "", /redacted/);
  assert.match(whyNoEdit({ ...schedule, bodyBase64: "gA==" }) ?? "", /binary/);
});

test("headers as lines come back as they were, and a line that is none is refused", () => {
  const pairs: [string, string][] = [
    ["Content-Type", "text/plain"],
    ["X-Url", "https://a.test:8080"],
  ];
  assert.deepEqual(headerPairs(headerLines(pairs)), pairs);
  assert.deepEqual(headerPairs("\n  a :  b \n"), [["a", "b"]]);
  assert.throws(() => headerPairs("no colon"), /this line is not: no colon/);
  assert.throws(() => headerPairs(": no name"), /this line is not/);
});

test("a body is text, bytes, hidden, or nothing", () => {
  assert.equal(bodyOfText("").kind, "empty");
  assert.equal(bodyOfText(`REDACTED:${HASH}`).kind, "redacted");
  assert.equal(bodyOfText("REDACTED:soon").kind, "text");
  assert.equal(plainText(bodyOfBase64(Buffer.from("grüße").toString("base64"))), "grüße");
  assert.equal(bodyOfBase64("gA==").kind, "binary");
  assert.equal(plainText(bodyOfBase64("gA==")), null);
});

test("a path has the values that are set, and no question mark without one", () => {
  assert.equal(withQuery("/v2/logs", { a: null, b: "", c: undefined }), "/v2/logs");
  assert.equal(
    withQuery("/v2/logs", { count: 0, url: "https://a.test/?b=1" }),
    "/v2/logs?count=0&url=https%3A%2F%2Fa.test%2F%3Fb%3D1",
  );
});
