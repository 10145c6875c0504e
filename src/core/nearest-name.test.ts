import assert from "node:assert/strict";
import { test } from "node:test";
import { mistakesBetween, nearestName } from "./nearest-name.ts";

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
