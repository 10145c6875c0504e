import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Answer,
  counted,
  EMPTY,
  headersOf,
  isStream,
  json,
  jsonPage,
  longJson,
} from "./answer.ts";

const PRIVATE = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };

function headers(answer: Answer): Record<string, string> {
  const list = headersOf(answer);
  return Object.fromEntries(
    list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1]!]] : [])),
  );
}

const jsonOf = (length: number) => ({
  "Content-Type": "application/json",
  "Content-Length": String(length),
});

test("a document has its type and its length in bytes, and no cache keeps it", () => {
  assert.deepEqual(headers(json(200, { a: "ü" })), { ...jsonOf(10), ...PRIVATE });
  assert.equal(EMPTY.status, 200);
  assert.deepEqual(headers(EMPTY), { "Content-Length": "0", ...PRIVATE });
  for (const length of [1, 2, 256, 257, 5_000]) {
    const body = "x".repeat(length);
    for (const time of ["first", "again"]) {
      assert.deepEqual(headers({ status: 200, body }), { ...jsonOf(length), ...PRIVATE }, time);
    }
  }
});

test("more headers come beside these, and not in the next answer of that length", () => {
  const body = "{}";
  const more = headers({ status: 200, body, headers: ["Retry-After", "5"] });
  assert.deepEqual(more, { ...jsonOf(2), ...PRIVATE, "Retry-After": "5" });
  assert.deepEqual(headers({ status: 200, body }), { ...jsonOf(2), ...PRIVATE });
});

test("another type is named in place of JSON", () => {
  const answer = { status: 200, body: "text", contentType: "text/plain", headers: ["X", "1"] };
  const expected = { "Content-Type": "text/plain", "Content-Length": "4" };
  assert.deepEqual(headers(answer), { ...expected, ...PRIVATE, X: "1" });
  assert.deepEqual(headers({ ...answer, isPublic: true }), { ...expected, X: "1" });
});

test("a stream has no length, and is private unless it says otherwise", () => {
  const body: string[] = [];
  const type = { "Content-Type": "application/json" };
  assert.deepEqual(headers({ status: 200, body }), { ...type, ...PRIVATE });
  assert.deepEqual(headers({ status: 200, body, isPublic: true, headers: ["X", "1"] }), {
    ...type,
    X: "1",
  });
  const events = { status: 200, body, contentType: "text/event-stream" };
  assert.deepEqual(headers(events), { "Content-Type": "text/event-stream", ...PRIVATE });
});

test("what a caller has already is answered with its own headers alone", () => {
  assert.deepEqual(headersOf({ status: 304, body: "" }), []);
  assert.deepEqual(headersOf({ status: 304, body: "", headers: ["ETag", "1"] }), ["ETag", "1"]);
});

test("a short document is written at once, a long one in pieces, and both are whole", () => {
  const short = longJson({ a: [1, 2] });
  assert.equal(short.body, '{"a":[1,2]}');
  const value = { a: Array.from({ length: 20_000 }, (_, index) => `text ${index}`) };
  const { status, body } = longJson(value);
  assert.equal(status, 200);
  assert.ok(isStream(body));
  assert.deepEqual(JSON.parse([...(body as Iterable<string>)].join("")), value);
});

const write = (n: number) => ({ n, left: undefined });

test("a page is an object with its list last, and a long one is made in several turns", async () => {
  assert.equal(
    (await jsonPage({ cursor: "c" }, "logs", [], write)).body,
    '{"cursor":"c","logs":[]}',
  );
  assert.equal(
    (await jsonPage({ cursor: undefined }, "logs", [1], write)).body,
    '{"logs":[{"n":1}]}',
  );
  let turns = 0;
  let isMade = false;
  const others = (): void => {
    turns += 1;
    if (!isMade) setImmediate(others);
  };
  setImmediate(others);
  const items = Array.from({ length: 1_000 }, (_, n) => n);
  const { status, body } = await jsonPage({ cursor: "c" }, "logs", items, write);
  isMade = true;
  assert.equal(status, 200);
  assert.ok(turns >= 5, `${turns} turns of others`);
  assert.deepEqual(JSON.parse(body as string), { cursor: "c", logs: items.map((n) => ({ n })) });
});

test("text and shared bytes are no streams", () => {
  assert.ok(!isStream(""));
  assert.ok(!isStream(Buffer.from("a")));
});

test("a count in place of a bulk action says that nothing was done", () => {
  const { status, body } = counted({ count: 3, isAbout: true });
  assert.equal(status, 200);
  assert.deepEqual(JSON.parse(body as string), { dryRun: true, count: 3, isAbout: true });
});
