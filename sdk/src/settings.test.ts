import assert from "node:assert/strict";
import { test } from "node:test";
import { messageHeaders, settingHeaders } from "./settings.ts";

test("no settings are no headers", () => {
  assert.deepEqual(settingHeaders({}), {});
  assert.deepEqual(settingHeaders({ retries: undefined, label: undefined }), {});
});

test("a message always names its dialect, and never a method for a group", () => {
  assert.deepEqual(messageHeaders({}), { "Svc-Method": "POST" });
  assert.deepEqual(messageHeaders({ method: "PUT" }), { "Svc-Method": "PUT" });
  assert.deepEqual(messageHeaders({ retries: 1 }), { "Svc-Retries": "1" });
  const typed = { "Content-Type": "text/plain" };
  assert.deepEqual(messageHeaders({ headers: typed }), { ...typed, "Svc-Method": "POST" });
  const toGroup = Object.keys(messageHeaders({ urlGroup: "all" }));
  assert.deepEqual(toGroup, ["Svc-Telemetry-Sdk"]);
});

test("URLs outside of ASCII are percent-encoded", () => {
  const headers = settingHeaders({
    callback: "https://example.com/ü?q=日本",
    failureCallback: { url: "https://bücher.example/%20🚀" },
  });
  assert.deepEqual(headers, {
    "Svc-Callback": "https://example.com/%C3%BC?q=%E6%97%A5%E6%9C%AC",
    "Svc-Failure-Callback": "https://b%C3%BCcher.example/%20%F0%9F%9A%80",
  });
});

test("every setting has its header", () => {
  const headers = settingHeaders({
    method: "PUT",
    headers: { "X-Own": "yes", "Content-Type": "text/plain" },
    retries: 0,
    retryDelay: "1000 * retried",
    timeout: 30,
    delay: "1d12h",
    notBefore: new Date(1_700_000_000_400),
    deduplicationId: "once",
    contentBasedDeduplication: true,
    label: ["a", "b"],
    flowControl: { key: "k", rate: 5, period: 60 },
    redact: { body: true, headers: ["X-Secret"] },
    failureCallback: "https://example.com/failed",
    callback: {
      url: "https://example.com/done",
      headers: { "X-Callback": "1", "Content-Type": "text/html" },
      method: "PATCH",
      retries: 1,
      retryDelay: "5",
      timeout: "3s",
      delay: 2,
    },
  });
  assert.deepEqual(headers, {
    "Svc-Method": "PUT",
    "Content-Type": "text/plain",
    "Svc-Forward-x-own": "yes",
    "Svc-Retries": "0",
    "Svc-Retry-Delay": "1000 * retried",
    "Svc-Timeout": "30s",
    "Svc-Delay": "1d12h",
    "Svc-Not-Before": "1700000001",
    "Svc-Deduplication-Id": "once",
    "Svc-Content-Based-Deduplication": "true",
    "Svc-Label": "a,b",
    "Svc-Flow-Control-Key": "k",
    "Svc-Flow-Control-Value": "rate=5, period=60s",
    "Svc-Redact-Fields": "body,header[X-Secret]",
    "Svc-Failure-Callback": "https://example.com/failed",
    "Svc-Callback": "https://example.com/done",
    "Svc-Callback-Forward-x-callback": "1",
    "Svc-Callback-Forward-content-type": "text/html",
    "Svc-Callback-Method": "PATCH",
    "Svc-Callback-Retries": "1",
    "Svc-Callback-Retry-Delay": "5",
    "Svc-Callback-Timeout": "3s",
    "Svc-Callback-Delay": "2s",
  });
});

test("a message's own header wins over the one for every message", () => {
  const headers = settingHeaders(
    { headers: { "x-who": "message" } },
    { "X-Who": "all", "X-All": "1" },
  );
  assert.deepEqual(headers, { "Svc-Forward-x-who": "message", "Svc-Forward-x-all": "1" });
});
