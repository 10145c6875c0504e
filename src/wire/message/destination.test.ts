import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { Problem } from "../../core/problem.ts";
import { readDestination } from "./destination.ts";

test("a destination without anything of ours is kept byte for byte", () => {
  for (const rest of [
    "http://example.com",
    "https://example.com/",
    "https://example.com/a%2Fb//c/../d?",
    "https://example.com/?x=1&&y=%20&z",
    "https://example.com/?next=https://other.example/?svc_token=x",
    "https://user:pass@example.com/",
    "group-name",
    "grp%201",
    "api/llm",
  ]) {
    assert.deepEqual(readDestination(rest), { destination: rest, aliases: [], token: null });
  }
});

test("our parameters are taken out of the query, and the others stay as they are", () => {
  const rest =
    "https://host/a%2Fb?x=%41&upstash-retries=3&&qstash_token=a%2Bb+c%3D&Upstash-Retry-Delay=1000+*+retried&y";
  assert.deepEqual(readDestination(rest), {
    destination: "https://host/a%2Fb?x=%41&&y",
    aliases: [
      ["upstash-retries", "3"],
      ["upstash-retry-delay", "1000 * retried"],
    ],
    token: "a+b+c=",
  });
});

test("a question mark goes only with the last parameter behind it", () => {
  assert.equal(readDestination("https://host/a?svc-delay=1s").destination, "https://host/a");
  assert.equal(readDestination("https://host/a?svc_token=x").destination, "https://host/a");
  assert.equal(readDestination("https://host/a?").destination, "https://host/a?");
  assert.equal(readDestination("https://host/a?svc-delay=1s&").destination, "https://host/a?");
});

test("a wholly encoded URL is decoded once", () => {
  const url = "https://host/a%2520b?x=1&svc-delay=2s";
  const encoded = encodeURIComponent(url);
  assert.equal(readDestination(encoded).destination, url);
  assert.deepEqual(readDestination(`${encoded.toLowerCase()}?svc-delay=1s`), {
    destination: url,
    aliases: [["svc-delay", "1s"]],
    token: null,
  });
  assert.equal(readDestination(`${encoded}?y=2`).destination, `${url}&y=2`);
  assert.equal(readDestination("https%253A%252F%252Fhost").destination, "https%253A%252F%252Fhost");
});

test("what cannot be a destination is refused", () => {
  assert.throws(() => readDestination(""), /a non-empty destination must be provided/);
  assert.throws(() => readDestination("?x=1"), /a non-empty destination must be provided/);
  assert.throws(() => readDestination("https:/host/a"), /a proxy may have merged it/);
  assert.throws(() => readDestination("https%3A%2F%2Fhost%2F%E0%A4"), Problem);
  assert.throws(() => readDestination("https://h?svc-label=%E0%A4"), /svc-label/);
  assert.throws(() => readDestination("https://h?svc_token=a&qstash_token=b"), /given twice/);
});

test("any text is read or refused, and what is not ours survives in its order", () => {
  const part = fc.oneof(
    fc.string({ unit: fc.constantFrom(..."ab=%2/?".split("")), maxLength: 6 }),
    fc.constantFrom("svc-retries=3", "qstash_token=t", "upstash-label=a%2Cb"),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const kept = parts.filter((text) => !/^(svc-|upstash-|qstash_)/.test(text));
      try {
        const { destination } = readDestination(`https://host/?${parts.join("&")}`);
        const removedAll = kept.length === 0 && parts.length > 0;
        assert.equal(destination, `https://host/${removedAll ? "" : `?${kept.join("&")}`}`);
      } catch (error) {
        assert.ok(error instanceof Problem, String(error));
      }
    }),
    { numRuns: 5_000 },
  );
});
