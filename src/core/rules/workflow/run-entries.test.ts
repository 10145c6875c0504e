import assert from "node:assert/strict";
import { test } from "node:test";
import { ENTRY_KINDS } from "../../model/workflow/run.ts";
import { aRun, aRunState } from "../../../../test/support/runs.ts";
import {
  ENTRIES_MAX,
  entryList,
  entryPieces,
  excess,
  extendedList,
  grow,
  LIST_BYTES,
  listedBytes,
  type ListedEntry,
  newRunState,
  SENT_BYTES_MAX,
  stepBytesMax,
} from "./run-entries.ts";

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

test("an entry in pieces is the entry of the list", () => {
  for (const length of [0, 1, 49_152, 49_153, 150_000]) {
    const one = entry("result", "x".repeat(length));
    const pieces = [...entryPieces(one)];
    assert.equal(`[${pieces.join("")}]`, new TextDecoder().decode(entryList([one])));
    assert.equal(pieces.length, 2 + Math.ceil(length / 49_152));
  }
});

test("a list is extended in its bytes", () => {
  const [one, two] = [entry("payload", "a"), entry("result", "bcd")];
  assert.deepEqual(extendedList(entryList([one]), two), entryList([one, two]));
});

const MEBIBYTE = 1024 * 1024;

test("a run has up to 20,000 entries and 100 MiB", () => {
  assert.equal(excess(aRunState({}, { nextOrdinal: ENTRIES_MAX })), null);
  assert.equal(excess(aRunState({}, { nextOrdinal: ENTRIES_MAX + 1 })), "entries");
  assert.equal(excess(aRunState({}, { bytes: 100 * MEBIBYTE })), null);
  assert.equal(excess(aRunState({}, { bytes: 100 * MEBIBYTE + 1 })), "bytes");
  assert.deepEqual([ENTRIES_MAX, SENT_BYTES_MAX], [20_000, 3 * MEBIBYTE]);
});

test("a step is up to six times as large as a message, and no larger than a run", () => {
  assert.equal(stepBytesMax({ messageBytesMax: MEBIBYTE }), 6 * MEBIBYTE);
  assert.equal(stepBytesMax({ messageBytesMax: 50 * MEBIBYTE }), 100 * MEBIBYTE);
});

test("only what is replayed counts as bytes of the list", () => {
  const state = aRunState({}, { nextOrdinal: 4, bytes: 10 });
  const added = { ...entry("result", "abc"), stepKey: "r:1", at: 9 };
  const grown = grow(state, added);
  assert.deepEqual([grown.ordinal, grown.state.nextOrdinal], [4, 5]);
  assert.equal(grown.state.bytes, 10 + listedBytes(added));
  const key = { accountId: state.accountId, runId: state.runId, createdAt: state.createdAt };
  assert.deepEqual(grown.change, {
    type: "run-entry.added",
    entry: { ...key, ordinal: 4, ...added },
  });
  assert.equal(grow(state, { ...added, kind: "wait" }).state.bytes, 10);
});

test("a new run counts its first entries", () => {
  const run = aRun();
  assert.deepEqual(newRunState(run, []), {
    ...aRunState({}, { nextOrdinal: 0, bytes: LIST_BYTES }),
    run,
  });
  const { accountId, runId, createdAt } = run;
  const entries = (["payload", "call", "result"] as const).map((kind, index) => ({
    ...entry(kind, "abc"),
    accountId,
    runId,
    createdAt,
    ordinal: index * 2,
    stepKey: null,
    at: 9,
  }));
  const state = newRunState(run, entries);
  assert.equal(state.nextOrdinal, 5);
  const replayed = entries.filter(({ kind }) => kind !== "call");
  assert.equal(state.bytes, entryList(replayed).byteLength);
});
