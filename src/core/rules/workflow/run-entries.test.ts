import assert from "node:assert/strict";
import { test } from "node:test";
import { ENTRY_KINDS } from "../../model/workflow/run.ts";
import { entryList, LIST_BYTES, listedBytes, type ListedEntry } from "./run-entries.ts";

const entry = (kind: ListedEntry["kind"], text: string): ListedEntry => ({
  messageId: `msg_${text.length}`,
  kind,
  body: new TextEncoder().encode(text),
});

test("the list is compact JSON, its bodies in base64", () => {
  const list = entryList([entry("payload", ""), entry("result", "ü")]);
  assert.equal(
    new TextDecoder().decode(list),
    '[{"messageId":"msg_0","callType":"step","body":""},{"messageId":"msg_1","callType":"step","body":"w7w="}]',
  );
  assert.equal(new TextDecoder().decode(entryList([])), "[]");
});

test("its size is known before it is made", () => {
  for (let length = 0; length < 10; length++) {
    const entries = ENTRY_KINDS.map((kind) => entry(kind, "x".repeat(length)));
    const sum = entries.reduce((bytes, one) => bytes + listedBytes(one), LIST_BYTES);
    assert.equal(entryList(entries).byteLength, sum);
  }
});

test("calls and their results are called by their own names", () => {
  const list = new TextDecoder().decode(entryList([entry("call", "a"), entry("call-result", "b")]));
  assert.match(list, /toCallback.*fromCallback/);
});
