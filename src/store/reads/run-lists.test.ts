import assert from "node:assert/strict";
import { test } from "node:test";
import { aMessage, bytes } from "../../../test/support/messages.ts";
import type { Message } from "../../core/model/message/message.ts";
import { entryList, type ListedEntry } from "../../core/rules/workflow/run-entries.ts";
import { RunLists } from "./run-lists.ts";

const ENTRIES: readonly ListedEntry[] = ["payload", "plan", "result", "result"].map(
  (kind, ordinal) => ({
    kind: kind as ListedEntry["kind"],
    messageId: `msg_${ordinal}`,
    body: bytes(`{"stepId":${ordinal}}`),
  }),
);

function step(ordinal: number, runId = "wfr_1", createdAt = 1): Message {
  const run = { runId, createdAt, workflowUrl: "https://a.example", ordinal };
  return aMessage({ kind: "step", messageId: `msg_${ordinal}`, run });
}

test("the list that was sent before is extended by one entry, to what the store would read", () => {
  const lists = new RunLists();
  for (const [ordinal, entry] of ENTRIES.entries()) {
    const list = lists.upTo(step(ordinal), entry);
    assert.deepEqual(list, entryList(ENTRIES.slice(0, ordinal + 1)));
    lists.remember(step(ordinal), list);
  }
});

test("a list is not extended when entries were added in between, or for another run", () => {
  const lists = new RunLists();
  lists.remember(step(1), entryList(ENTRIES.slice(0, 2)));
  assert.equal(lists.upTo(step(3), ENTRIES[3]!), null);
  assert.equal(lists.upTo(step(1), ENTRIES[1]!), null);
  assert.equal(lists.upTo(step(2, "wfr_2"), ENTRIES[2]!), null);
  assert.equal(lists.upTo(step(2, "wfr_1", 2), ENTRIES[2]!), null);
});

test("an older delivery that is repeated does not replace a newer one", () => {
  const lists = new RunLists();
  lists.remember(step(2), entryList(ENTRIES.slice(0, 3)));
  lists.remember(step(0), entryList(ENTRIES.slice(0, 1)));
  assert.notEqual(lists.upTo(step(3), ENTRIES[3]!), null);
});

test("a list that its endpoint may have to fetch is read from the store", () => {
  const lists = new RunLists();
  const large = { ...ENTRIES[0]!, body: new Uint8Array(3 * 1024 * 1024) };
  lists.remember(step(0), entryList([large]));
  assert.equal(lists.upTo(step(1), ENTRIES[1]!), null);
});

test("the cache is bounded and keeps the lists that were sent last", () => {
  const lists = new RunLists();
  const large = { ...ENTRIES[0]!, body: new Uint8Array(1024 * 1024) };
  const list = entryList([large]);
  const known = (run: number): boolean => lists.upTo(step(1, `wfr_${run}`), ENTRIES[1]!) !== null;
  for (let run = 0; run < 20; run++) lists.remember(step(0, `wfr_${run}`), list);
  assert.deepEqual([0, 8, 9, 19].map(known), [false, false, true, true]);
});
