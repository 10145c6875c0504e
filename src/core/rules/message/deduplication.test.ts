import assert from "node:assert/strict";
import { test } from "node:test";
import type { HeaderList } from "../../model/message/message.ts";
import type { PublishOptions } from "../../model/message/publish-options.ts";
import { deduplicationOf } from "./deduplication.ts";

const AT = 1_000;

function keyOf(
  options: Partial<PublishOptions>,
  url = "https://a.test",
  body = "x",
  urlGroup?: string,
) {
  const whole: PublishOptions = { dialect: "svc", headers: [], settings: {}, ...options };
  return deduplicationOf(whole, Buffer.from(body), AT, urlGroup)?.(url) ?? null;
}

const byContent = (headers: HeaderList, url?: string, body?: string): string | undefined =>
  keyOf({ contentBasedDeduplication: true, headers }, url, body)?.key;

const byId = (url: string, urlGroup?: string): string | undefined =>
  keyOf({ deduplicationId: "a" }, url, "x", urlGroup)?.key;

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

test("an id stands once for each endpoint of a group, and apart from the same id elsewhere", () => {
  const keys = [
    byId("https://a.test"),
    byId("https://a.test", "group"),
    byId("https://b.test", "group"),
    byId("https://a.test", "other"),
  ];
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(byId("https://a.test", "group"), keys[1]);
  assert.ok((byId(`https://a.test/${"x".repeat(8_000)}`, "group")?.length ?? 0) < 300);
});
