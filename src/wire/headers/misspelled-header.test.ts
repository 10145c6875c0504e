import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../../core/problem.ts";
import { readPublishOptions } from "../message/publish.ts";
import type { HeaderCall } from "./header.ts";
import { misspelledPrefix } from "./misspelled-header.ts";

function refusalOf(name: string, call: HeaderCall = "publish"): string {
  try {
    readPublishOptions([name, "1"], [], { call });
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    return error.message;
  }
  return "accepted";
}

test("a prefix that is one letter off is refused before a name of ours", () => {
  for (const [given, meant] of [
    ["Srv-Delay", "Svc-Delay"],
    ["srv-delay", "Svc-Delay"],
    ["Scv-Retries", "Svc-Retries"],
    ["Sv-Method", "Svc-Method"],
    ["Svcs-Not-Before", "Svc-Not-Before"],
    ["Upstahs-Delay", "Upstash-Delay"],
    ["Upstashh-Delay", "Upstash-Delay"],
    ["UPSTSH-FAILURE-CALLBACK-RETRIES", "Upstash-Failure-Callback-Retries"],
    ["Srv-Forward-X-Tenant", "Svc-Forward-X-Tenant"],
    ["Srv-Callback-Forward-X", "Svc-Callback-Forward-X"],
    ["Upstahs-Workflow-RunId", "Upstash-Workflow-RunId"],
    ["Srv-Cron", "Svc-Cron"],
  ] as const) {
    const says = `${given}: is not a header of this service; the nearest one is ${meant}`;
    for (const call of ["publish", "enqueue", "schedule", "retry", "trigger", "step"] as const) {
      assert.equal(refusalOf(given, call), says);
    }
  }
});

test("any other header of others passes", () => {
  for (const name of [
    "Sec-Delay",
    "Sec-Fetch-Mode",
    "SEC-CH-UA",
    "Srv-Name",
    "Srv-",
    "Svc-",
    "Upstash-",
    "Srv-Forward-",
    "Srv-Region",
    "Abc-Delay",
    "X-Delay",
    "Delay",
    "Retry-Delay",
    "-Delay",
    "Upstream-Delay",
    "Upstate-Delay",
    "User-Agent",
    "Accept-Encoding",
    "Content-Length",
    "Sv",
  ]) {
    assert.equal(misspelledPrefix(name), null, name);
    assert.equal(refusalOf(name), "accepted", name);
  }
});

test("an unknown header of ours is refused with the nearest one", () => {
  for (const [given, meant] of [
    ["Svc-Dealy", "Svc-Delay"],
    ["upstash-retires", "Upstash-Retries"],
    ["Svc-DeduplicationId", "Svc-Deduplication-Id"],
    ["Svc-NotBefore", "Svc-Not-Before"],
    ["Svc-Foward-X-Tenant", "Svc-Forward-X-Tenant"],
    ["Svc-Worklow-RunId", "Svc-Workflow-RunId"],
    ["Upstash-FailureCallback", "Upstash-Failure-Callback"],
  ] as const) {
    const says = new RegExp(`is not a header of this service; the nearest one is ${meant}$`);
    assert.match(refusalOf(given), says, given);
  }
});

test("a header that is near to none of ours is refused without one", () => {
  for (const given of ["Svc-Frobnicate", "Upstash-Frobnicate", "Svc-X"]) {
    assert.equal(refusalOf(given), `${given}: is not a header of this service`);
  }
});

test("a header that other requests have is refused with where it is read", () => {
  assert.match(refusalOf("Svc-Crom"), /the nearest one is Svc-Cron$/);
  assert.equal(refusalOf("Svc-Cron"), "Svc-Cron: is only read by /v2/schedules");
});
