import assert from "node:assert/strict";
import { test } from "node:test";
import { hideHooks } from "./hide-hooks.ts";

const EVENT_ID = "evt_Ab3_-fghijKLMN9";
const URL = `http://host/v2/workflows/hooks/ann%40example.com/wfr_1/${EVENT_ID}`;
const encoded = (text: string): string => Buffer.from(text).toString("base64");
const decoded = (text: string): string => Buffer.from(text, "base64").toString();

test("an event id is hidden alone, in a URL and in the forms that a slash has in JSON and queries", () => {
  for (const text of [
    EVENT_ID,
    `${EVENT_ID}-late`,
    `${EVENT_ID}_x`,
    `${EVENT_ID}7`,
    URL,
    JSON.stringify({ out: JSON.stringify({ webhookUrl: URL, eventId: EVENT_ID }) }),
    encodeURIComponent(URL),
    URL.replaceAll("/", String.raw`\/`),
    URL.toUpperCase().replace("EVT_AB3_-FGHIJKLMN9", EVENT_ID),
  ]) {
    const hidden = hideHooks(text);
    assert.ok(!hidden.includes(EVENT_ID.slice(4)), hidden);
    assert.equal(hidden.length, text.length);
  }
});

test("an id that no SDK has drawn is hidden in its URL and beside it", () => {
  const text = JSON.stringify({ webhookUrl: URL.replace(EVENT_ID, "my.own/id"), id: "my.own/id" });
  assert.equal(hideHooks(text), text.replaceAll("my.own/id", "*".repeat("my.own/id".length)));
});

test("it is hidden in base64, at every offset and several times encoded, and nothing else is changed", () => {
  for (let offset = 0; offset < 4; offset++) {
    const text = `${"é".repeat(offset)}{"u":"${URL}","after":"stays"}`;
    const once = decoded(hideHooks(encoded(text)));
    assert.equal(once, hideHooks(text));
    const callback = `${"x".repeat(offset)}{"sourceBody":"${encoded(text)}"}`;
    const twice = decoded(hideHooks(encoded(callback)));
    assert.equal(twice, hideHooks(callback));
    assert.ok(twice.startsWith(callback.slice(0, offset + 14)) && twice.endsWith('"}'));
  }
});

test("other texts stay as they are", () => {
  for (const text of [
    "evt_short",
    "/v2/workflows/hooks/ann/wfr_1",
    encoded("a body of bytes \0\u0001 that is longer than an id"),
    "",
  ]) {
    assert.equal(hideHooks(text), text);
  }
});
