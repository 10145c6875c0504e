import assert from "node:assert/strict";
import { test } from "node:test";
import type { HeaderList } from "../model/message.ts";
import type { PublishOptions } from "../model/publish-options.ts";
import { deduplicationOf } from "./deduplication.ts";

const AT = 1_000;

function keyOf(options: Partial<PublishOptions>, url = "https://a.test", body = "x") {
  const whole: PublishOptions = { dialect: "svc", headers: [], ...options };
  return deduplicationOf(whole, url, Buffer.from(body), AT);
}

const byContent = (headers: HeaderList, url?: string, body?: string): string | undefined =>
  keyOf({ contentBasedDeduplication: true, headers }, url, body)?.key;

test("nothing is taken unless asked for, and for ten minutes", () => {
  assert.equal(keyOf({}), null);
  assert.equal(keyOf({ contentBasedDeduplication: false }), null);
  assert.deepEqual(keyOf({ deduplicationId: "a" }), { key: "id:a", expiresAt: AT + 600_000 });
});

test("an explicit id wins over the content", () => {
  const options = { deduplicationId: "a", contentBasedDeduplication: true };
  assert.equal(keyOf(options)?.key, "id:a");
});

test("content is destination, headers in any order and case, and body", () => {
  const same = byContent([
    ["A", "1"],
    ["B", "2"],
  ]);
  assert.match(same ?? "", /^content:[0-9a-f]{64}$/);
  const reordered: HeaderList = [
    ["b", "2"],
    ["a", "1"],
  ];
  assert.equal(byContent(reordered), same);
  assert.notEqual(byContent([["A", "1"]]), same);
  assert.notEqual(byContent(reordered, "https://b.test"), same);
  assert.notEqual(byContent(reordered, undefined, "y"), same);
});

test("what moves from one part to the next makes a difference", () => {
  assert.notEqual(byContent([["A", "12"]]), byContent([["A1", "2"]]));
  assert.notEqual(byContent([], "https://a.test/x", ""), byContent([], "https://a.test/", "x"));
});
