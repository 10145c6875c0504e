import assert from "node:assert/strict";
import { test } from "node:test";
import { aMessage } from "../../../../test/support/messages.ts";
import {
  answeredBody,
  answeredHeaders,
  callbackBeginning,
  callbackPayload,
  callbackRest,
  errorMessage,
  failedBody,
  jsonHeaders,
} from "./callback-payload.ts";

const of = (text: string) => errorMessage(new TextEncoder().encode(text));

test("the message of an error is found though its stack is cut", () => {
  assert.equal(of('{"error":"Error","message":"no luck","stack":"Error: no lu'), "no luck");
  assert.equal(of(' {\n "message" : "no luck" , "stack": "Err'), "no luck");
  assert.equal(of('\r\n\t {\r\n\t"a"\t:\r"b"\n,\t"message"\r:\t"no luck"'), "no luck");
  assert.equal(of('{"message":""'), "");
});

test("escaped characters belong to the message", () => {
  const message = 'a "quoted" \\ path\\\n“unicode”';
  const body = JSON.stringify({ error: "E\\", message, stack: "" });
  assert.equal(of(body.slice(0, -4)), message);
});

test("a message that is cut, or not a text, is none", () => {
  assert.equal(of('{"error":"Error","message":"no lu'), undefined);
  assert.equal(of('{"error":"Error","message":"no luck\\"'), undefined);
  assert.equal(of('{"error":"Error","message":7,"stack":"'), undefined);
  assert.equal(of('{"error":"Error","mess'), undefined);
});

test("what is not the JSON of an error has no message", () => {
  assert.equal(of('{"message";"no"}'), undefined);
  for (const text of ["", "<html>", '"message"', '[{"message":"no"}', '{"message" "no"}', "{,"]) {
    assert.equal(of(text), undefined, text);
  }
  assert.equal(of('{"cause":{"message":"inner"},"stack":"'), undefined);
  assert.equal(of('{"message":"bad \\x escape","stack":"'), undefined);
});

const membersBefore = (count: number) => '"a":"b",'.repeat(count);

test("a message among the first hundred members is found", () => {
  assert.equal(of(`{${membersBefore(99)}"message":"m"`), "m");
  assert.equal(of(`{${membersBefore(100)}"message":"m"`), undefined);
});

const bytesOf = (text: string) => new TextEncoder().encode(text);
const shown = (body: Uint8Array) =>
  JSON.parse(new TextDecoder().decode(body)) as Record<string, unknown>;

test("a body that was cut is replaced by the reason and its beginning", () => {
  const responseBody = bytesOf("x".repeat(2_000));
  assert.equal(answeredBody({ responseBody }), responseBody);
  const { error, message, truncated } = shown(
    answeredBody({ responseBody, responseCut: "broken" }),
  );
  assert.equal(error, "the connection broke before the end of the answer");
  assert.equal(message, `${error as string}; it begins with: ${"x".repeat(1_000)}`);
  assert.equal(truncated, true);
});

test("the message of an error that was cut is kept", () => {
  const responseBody = bytesOf('{"error":"E","message":"no luck","stack":"at');
  assert.equal(failedBody({ responseBody }), responseBody);
  const { message } = shown(failedBody({ responseBody, responseCut: "limit" }));
  assert.equal(message, "no luck");
  const html = shown(failedBody({ responseBody: bytesOf("<html>"), responseCut: "limit" }));
  assert.match(String(html["message"]), /it begins with: <html>$/);
});

test("headers that describe a body give way where it does", () => {
  const headers = [
    ["Content-Length", "5"],
    ["X-A", "1"],
    ["content-type", "text/html"],
    ["X-Content-Y", "2"],
  ] as const;
  assert.equal(answeredHeaders(headers, undefined), headers);
  const json = ["Content-Type", "application/json"];
  assert.deepEqual(answeredHeaders(headers, "limit"), [json, ["X-A", "1"], ["X-Content-Y", "2"]]);
  assert.deepEqual(jsonHeaders(headers), [json, headers[0], headers[1], headers[3]]);
});

test("a callback says that only a part of the body is included", () => {
  const report = { message: aMessage(), body: bytesOf(""), status: 200, responseHeaders: [] };
  const answered = { ...report, responseBody: bytesOf("a"), retried: 0 };
  const truncated = (isCut: boolean | undefined) =>
    (shown(callbackPayload({ ...answered, isCut })) as { truncated?: boolean }).truncated;
  assert.deepEqual([true, false, undefined].map(truncated), [true, undefined, undefined]);
});

test("a callback tells all of the message that it reports about", () => {
  const message = aMessage({
    urlGroup: "group",
    endpointName: "first",
    scheduleId: "daily",
    notBefore: 5,
    headers: [["x-a", "1"]],
  });
  const report = {
    message,
    body: bytesOf("in"),
    status: 0,
    error: "refused",
    responseHeaders: [],
    responseBody: bytesOf(""),
    retried: 2,
    dlqId: "1-2",
  };
  assert.deepEqual(shown(callbackPayload(report)), {
    status: 0,
    header: {},
    body: "",
    error: "refused",
    retried: 2,
    maxRetries: 3,
    dlqId: "1-2",
    sourceMessageId: "message",
    topicName: "group",
    endpointName: "first",
    url: "https://example.test/hook",
    method: "POST",
    sourceHeader: { "X-A": ["1"] },
    sourceBody: Buffer.from("in").toString("base64"),
    notBefore: 5,
    createdAt: message.createdAt,
    scheduleId: "daily",
    callerIP: "192.0.2.1",
  });
});

test("a body is put into a payload without being looked through for escapes", (t) => {
  const stringify = t.mock.method(JSON, "stringify");
  const bodies = { body: bytesOf("asked".repeat(9)), responseBody: bytesOf("answered".repeat(9)) };
  const report = { ...bodies, message: aMessage(), status: 200, responseHeaders: [], retried: 0 };
  const payload = shown(callbackPayload(report));
  const written = stringify.mock.calls.map(({ result }) => result).join("");
  for (const body of [bodies.body, bodies.responseBody]) {
    const text = Buffer.from(body).toString("base64");
    assert.ok(!written.includes(text));
    assert.ok(payload["body"] === text || payload["sourceBody"] === text);
  }
});

test("a body of any length is put into a payload whole, and other texts as they are", () => {
  const message = aMessage({ url: "https://example.test/ü", headers: [["x-a", "“1”"]] });
  for (const length of [0, 1, 2, 3, 49_151, 49_152, 49_153, 98_305, 300_000]) {
    const responseBody = Uint8Array.from({ length }, (_, index) => (index * 31) ^ (index >> 7));
    const report = { message, body: bytesOf("in"), status: 200, responseHeaders: [], retried: 0 };
    const payload = callbackPayload({ ...report, responseBody });
    assert.equal(payload.byteLength, payload.buffer.byteLength);
    const { body, url, sourceHeader } = shown(payload);
    assert.equal(body, Buffer.from(responseBody).toString("base64"));
    assert.equal(url, "https://example.test/ü");
    assert.deepEqual(sourceHeader, { "X-A": ["“1”"] });
  }
});

test("the beginning in pieces, and the rest, are the whole payload", () => {
  const message = aMessage({ headers: [["x-a", "“1”"]] });
  for (const length of [0, 1, 1_000, 49_152, 200_001]) {
    const responseBody = Uint8Array.from({ length }, (_, index) => index * 31);
    const answered = { status: 200, responseHeaders: [["x-ü", "“ü”"]] as const, responseBody };
    const report = { ...answered, message, body: bytesOf("in"), retried: 1, dlqId: "1-2" };
    for (const pieceBytes of [7, 1_024, 65_536]) {
      if (length / pieceBytes > 1_000) continue;
      const pieces = [...callbackBeginning(report, pieceBytes)];
      assert.ok(pieces.slice(0, -1).every(({ byteLength }) => byteLength === pieceBytes));
      assert.ok(pieces.every(({ byteLength, buffer }) => byteLength === buffer.byteLength));
      assert.ok(pieces.at(-1)!.byteLength > 0);
      const whole = Buffer.concat([...pieces, callbackRest(report)]);
      assert.ok(whole.equals(callbackPayload(report)));
      assert.equal(shown(whole)["body"], Buffer.from(responseBody).toString("base64"));
    }
  }
});
