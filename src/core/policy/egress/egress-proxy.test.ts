import assert from "node:assert/strict";
import { test } from "node:test";
import { parseEgressProxy } from "./egress-proxy.ts";

test("a proxy is a host with a port, and credentials where it asks for them", () => {
  const plain = { isTls: false, host: "proxy.test", port: 3128, credentials: null };
  assert.deepEqual(parseEgressProxy("http://proxy.test:3128"), plain);
  assert.deepEqual(parseEgressProxy("http://proxy.test:3128/"), plain);
  assert.deepEqual(parseEgressProxy("HTTP://proxy.test"), { ...plain, port: 80 });
  assert.deepEqual(parseEgressProxy("https://proxy.test"), { ...plain, isTls: true, port: 443 });
  assert.deepEqual(parseEgressProxy("http://[::1]:3128"), { ...plain, host: "::1" });
  assert.equal(parseEgressProxy("http://me:p%40ss@proxy.test")?.credentials, "me:p@ss");
  assert.equal(parseEgressProxy("http://me@proxy.test")?.credentials, "me:");
});

test("anything else is none", () => {
  const wrong = ["", "proxy.test:3128", "socks5://proxy.test", "http://", "http://proxy.test:0"];
  const extra = ["http://proxy.test/path", "http://proxy.test?x=1", "http://proxy.test/#x"];
  const unsendable = ["http://a%3Ab:c@proxy.test", "http://a:%0d%0a@proxy.test", "http://a:%ff@p"];
  for (const text of [...wrong, ...extra, ...unsendable]) {
    assert.equal(parseEgressProxy(text), null, text);
  }
});
