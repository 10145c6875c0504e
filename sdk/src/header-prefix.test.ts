import assert from "node:assert/strict";
import { test } from "node:test";
import { requirePrefix, withPrefix } from "./header-prefix.ts";
import { settingHeaders } from "./settings.ts";

test("settings take the prefix, and nothing else does", () => {
  const headers = settingHeaders({
    headers: { "Svc-Own": "1", "Content-Type": "text/plain" },
    retries: 2,
    failureCallback: { url: "https://example.com/", headers: { "X-Svc-Own": "2" } },
  });
  assert.deepEqual(withPrefix({ ...headers, "Svc-Forward-Svc-Label": "l" }, "Upstash-"), {
    "Upstash-Forward-svc-own": "1",
    "Content-Type": "text/plain",
    "Upstash-Retries": "2",
    "Upstash-Failure-Callback": "https://example.com/",
    "Upstash-Failure-Callback-Forward-x-svc-own": "2",
    "Upstash-Forward-Upstash-Label": "l",
  });
});

test("a prefix is a word and a dash", () => {
  assert.equal(requirePrefix("Upstash-"), "Upstash-");
  for (const prefix of ["", "-", "Upstash", "A B-", "A:-"]) {
    assert.throws(() => requirePrefix(prefix), /headerPrefix/, prefix);
  }
});
