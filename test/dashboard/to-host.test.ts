/** Which messages a filter of the dashboard means. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isToHost } from "../../dashboard/src/message/to-host.ts";

test("a host with a port means that port, one without means all of them", () => {
  const url = "http://example.com:8080/hook";
  assert.equal(isToHost(null, url), true);
  assert.equal(isToHost("example.com:8080", url), true);
  assert.equal(isToHost("example.com", url), true);
  assert.equal(isToHost("example.com:80", url), false);
  assert.equal(isToHost("example.com:443", "https://example.com/hook"), false);
  assert.equal(isToHost("example.org", url), false);
  assert.equal(isToHost("example.com", "no url"), false);
  assert.equal(isToHost("example.org, example.com", url), true);
  assert.equal(isToHost("example.org,example.net", url), false);
});
