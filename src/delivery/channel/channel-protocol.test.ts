import assert from "node:assert/strict";
import { test } from "node:test";

import { isChannel, offersChannel, readAnswer } from "./channel-protocol.ts";

const BODY = Buffer.from("body");

test("an answer is a status and headers in turn", () => {
  assert.deepEqual(readAnswer('[503,"Retry-After","2","X","y"]', BODY), {
    kind: "answer",
    status: 503,
    headers: [
      ["Retry-After", "2"],
      ["X", "y"],
    ],
    body: new Uint8Array(BODY),
  });
});

test("any other head is refused", () => {
  const heads = ["", "{", "{}", "[]", '["200"]', "[200.5]", "[101]", "[600]", '[200,"X"]'];
  const lists = ['[200,"X",1]', '[200,1,"X"]', JSON.stringify([200, ...Array(514).fill("x")])];
  for (const head of [...heads, ...lists]) assert.equal(readAnswer(head, BODY), null, head);
});

test("an endpoint announces channels with one header of one value", () => {
  assert.equal(offers("svc-workflow-CHANNEL", "1"), true);
  assert.equal(offers("Svc-Workflow-Channel", "2"), false);
  assert.equal(offers("Svc-Workflow-Reply", "1"), false);
  assert.equal(isChannel(200, [["svc-workflow-channel", "1"]]), true);
  assert.equal(isChannel(404, [["svc-workflow-channel", "1"]]), false);
  assert.equal(isChannel(200, []), false);
});

function offers(name: string, value: string): boolean {
  return offersChannel([[name, value]]);
}
