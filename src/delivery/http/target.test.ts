import assert from "node:assert/strict";
import { test } from "node:test";
import { targetOf } from "./target.ts";

test("an origin leads to a host and a port, with TLS or without", () => {
  for (const [origin, isTls, hostname, port] of [
    ["http://a.test", false, "a.test", 80],
    ["https://a.test", true, "a.test", 443],
    ["http://a.test:443", false, "a.test", 443],
    ["https://a.test:8443", true, "a.test", 8443],
    ["http://[2001:db8::1]:81", false, "2001:db8::1", 81],
    ["https://192.0.2.1", true, "192.0.2.1", 443],
  ] as const) {
    assert.deepEqual(targetOf(origin), { isTls, hostname, port }, origin);
  }
});
