import assert from "node:assert/strict";
import { test } from "node:test";
import { isOneOff, mistakesBetween, nearestName } from "./nearest-name.ts";

test("a missing, added, wrong or swapped letter is one mistake", () => {
  assert.equal(mistakesBetween("delay", "delay"), 0);
  assert.equal(mistakesBetween("dlay", "delay"), 1);
  assert.equal(mistakesBetween("deelay", "delay"), 1);
  assert.equal(mistakesBetween("belay", "delay"), 1);
  assert.equal(mistakesBetween("dealy", "delay"), 1);
  assert.equal(mistakesBetween("", "delay"), 5);
  assert.equal(mistakesBetween("delay", ""), 5);
});

test("the nearest name wins, whatever the case of its letters", () => {
  assert.equal(
    nearestName("POSTRIDER_DATABSE_URL", ["POSTRIDER_DATA", "POSTRIDER_DATABASE_URL"]),
    "POSTRIDER_DATABASE_URL",
  );
  assert.equal(nearestName("databaseurl", ["data", "databaseUrl"]), "databaseUrl");
});

test("a name that is close to none has no nearest one", () => {
  assert.equal(nearestName("frobnicate", ["port", "host"]), undefined);
  assert.equal(nearestName("ports", []), undefined);
});

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
});

test("a name with more than one mistake in three letters is another word", () => {
  for (const given of ["foo", "relax", "x", "frobnicate", "call-me", "x".repeat(1_000_000)]) {
    assert.equal(nearestName(given, [...NAMES, "flow"]), undefined, given.slice(0, 20));
  }
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
  for (const word of [
    "svc",
    "s",
    "x",
    "",
    "cvs",
    "csv",
    "vcs",
    "svcxx",
    "abc",
    "sxx",
    "user",
    "svcab",
  ]) {
    assert.ok(!isOneOff(word, "svc"), word);
  }
  for (const word of ["upstahs", "upsstash", "pustash", "upstas", "upstach", "upsthas"]) {
    assert.ok(isOneOff(word, "upstash"), word);
  }
  for (const word of ["upstash", "content", "upstate", "upstream", "hsatspu"]) {
    assert.ok(!isOneOff(word, "upstash"), word);
  }
});
