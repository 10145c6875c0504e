import assert from "node:assert/strict";
import { test } from "node:test";
import { isOneOff, nearestName } from "./nearest-name.ts";

const NAMES = ["Delay", "Retries", "Retry-Delay", "Callback", "Failure-Callback"];

test("the nearest name needs the fewest changes", () => {
  for (const [given, nearest] of [
    ["delya", "Delay"],
    ["DELAYS", "Delay"],
    ["retrys", "Retries"],
    ["retry_delay", "Retry-Delay"],
    ["failurecallback", "Failure-Callback"],
    ["calback", "Callback"],
  ] as const) {
    assert.equal(nearestName(given, NAMES), nearest, given);
  }
  assert.equal(nearestName("x", []), undefined);
});

test("a long name costs no more than a short one", () => {
  assert.ok(NAMES.includes(nearestName("x".repeat(1_000_000), NAMES)!));
});

test("one letter off is one letter missing, added, or another one", () => {
  for (const word of [
    "srv",
    "sv",
    "svvc",
    "scv",
    "vc",
    "ssvc",
    "svx",
    "xvc",
    "vsc",
    "asvc",
    "svcc",
  ]) {
    assert.ok(isOneOff(word, "svc"), word);
  }
  for (const word of ["svc", "s", "x", "", "cvs", "svcxx", "abc", "sxx", "user", "svcab"]) {
    assert.ok(!isOneOff(word, "svc"), word);
  }
  for (const word of ["upstahs", "upsstash", "pustash", "upstas", "upstach", "upsthas"]) {
    assert.ok(isOneOff(word, "upstash"), word);
  }
  for (const word of ["upstash", "content", "upstate", "upstream", "hsatspu"]) {
    assert.ok(!isOneOff(word, "upstash"), word);
  }
});
