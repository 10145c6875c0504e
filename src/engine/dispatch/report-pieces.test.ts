import assert from "node:assert/strict";
import { test } from "node:test";
import {
  aCallback,
  aLeasedMessage,
  aMessage,
  anAttempt,
  aSettlement,
} from "../../../test/support/messages.ts";
import { PIECE_BYTES } from "../../core/model/message/body-piece.ts";
import { callbackOf } from "../../core/rules/message/callback.ts";
import type { KeepPieceAct } from "../../core/rules/message/keep-piece.ts";
import type { FollowUpSource } from "../../core/rules/message/settlement.ts";
import { isStoredAhead, storeAhead } from "./report-pieces.ts";

const LEASED = aLeasedMessage({ callback: aCallback(), leasedBy: "node" });
const LARGE = new Uint8Array(PIECE_BYTES + 1).fill(7);

test("only what is large is stored ahead, and only where one writer writes for all", () => {
  const source = sourceOf(LARGE);
  assert.equal(isStoredAhead({ isOnlyWriter: true }, source), true);
  assert.equal(isStoredAhead({ isOnlyWriter: false }, source), false);
  assert.equal(isStoredAhead({ isOnlyWriter: true }, sourceOf(LARGE.subarray(1))), false);
  const run = { runId: "r", createdAt: 1, workflowUrl: "https://a.test/", ordinal: 1 };
  const ofRun = { ...source, message: aMessage({ run }) };
  assert.equal(isStoredAhead({ isOnlyWriter: true }, ofRun), false);
});

test("the pieces and what the settlement makes are the report", async () => {
  const kept: KeepPieceAct[] = [];
  const keep = (act: KeepPieceAct) => {
    kept.push(act);
    return Promise.resolve("kept" as const);
  };
  const source = sourceOf(LARGE);
  const attempt = anAttempt({ number: 2 });
  const rest = await storeAhead(keep, LEASED.lease, attempt, source);
  assert.equal(rest.responseBody.byteLength, 0);
  assert.deepEqual(
    kept.map(({ piece }) => [piece.attempt, piece.piece]),
    [
      [2, 0],
      [2, 1],
    ],
  );
  const [whole, made] = [callbackIn(source), callbackIn(rest)];
  assert.deepEqual(made.ahead, { attempt: 2, bytes: rest.bytesAhead });
  const pieces = kept.map(({ piece }) => piece.body);
  assert.ok(Buffer.concat([...pieces, made.body]).equals(whole.body));
  assert.equal(made.bytes, whole.body.byteLength);
});

test("when the lease is gone no more is stored", async () => {
  let asked = 0;
  const keep = () => Promise.resolve(++asked === 1 ? ("kept" as const) : ("stale" as const));
  const source = sourceOf(new Uint8Array(10 * PIECE_BYTES));
  assert.equal(await storeAhead(keep, LEASED.lease, anAttempt(), source), source);
  assert.equal(asked, 4);
});

function sourceOf(body: Uint8Array): FollowUpSource {
  const settled = aSettlement(LEASED, { at: 1, verdict: { kind: "delivered" }, attempt: { body } });
  return settled.source!;
}

/** The callback that a settlement of attempt 2 makes. */
function callbackIn(source: FollowUpSource) {
  const attempt = { number: 2 };
  const act = aSettlement(LEASED, { at: 1, verdict: { kind: "delivered" }, attempt });
  const { accountId, messageId } = LEASED.lease;
  const state = { accountId, messageId, rootId: null, queue: null } as never;
  const [added] = callbackOf(source, act, state);
  assert.ok(added?.type === "message.added");
  const { body, facts, state: made } = added.message;
  const { ahead } = JSON.parse(facts) as { ahead?: unknown };
  return { body, ahead, bytes: made.bytes };
}
