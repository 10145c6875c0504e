/** What an answer says, in a few words. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { answerWords } from "../../dashboard/src/message/answer-words.ts";
import { errorOf } from "../../dashboard/src/message/message-row.ts";

test("the message of a JSON error, the title of a page, or the first line", () => {
  const examples: readonly (readonly [string, string])[] = [
    ['{"error":"no such sku"}', "no such sku"],
    ['{"error":{"code":7,"message":"card declined"}}', "card declined"],
    ['{"errors":[{"detail":"too\\n long"}]}', "too long"],
    ['{"message":"","title":"Not here"}', "Not here"],
    ['["first","second"]', "first"],
    ['"quoted"', "quoted"],
    ['{"code":7}', '{"code":7}'],
    // Cut where the log ends it.
    ['{"id":1,"message":"card \\"x\\" declined","trace":"at li', 'card "x" declined'],
    ['{"message":"half of a sen', "half of a sen"],
    ["<!doctype html><html><head><title>502 Bad &amp; Gateway</title>", "502 Bad & Gateway"],
    ["<html><body><h1>Down</h1><p>again", "Down"],
    ["<p>only <b>text</b>", "only text"],
    ["upstream connect error\nstack", "upstream connect error"],
    ["", ""],
    // A text that would turn what follows it.
    ["refused \u202Etxt.exe", "refused ⟨U+202E⟩txt.exe"],
  ];
  for (const [body, words] of examples) assert.equal(answerWords(body), words, body);
  assert.equal(answerWords("x".repeat(1_000)).length, 200);
});

test("an error has the status of the answer, and what it said", () => {
  const responseBody = btoa('{"error":"no such sku"}');
  assert.equal(errorOf({ state: "ERROR", responseStatus: 422, responseBody }), "422 no such sku");
  assert.equal(errorOf({ state: "ERROR", responseStatus: 503 }), "503 Service Unavailable");
  assert.equal(errorOf({ state: "ERROR", error: "ECONNREFUSED" }), "ECONNREFUSED");
  assert.equal(errorOf({ state: "DELIVERED", responseStatus: 200 }), null);
});
