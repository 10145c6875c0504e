import assert from "node:assert/strict";
import { test } from "node:test";
import { aNewMessage, bytes } from "../../../../test/support/messages.ts";
import { rowsOf } from "../../../../test/support/rows.ts";
import { keepPiece } from "./keep-piece.ts";

const KEY = { accountId: "account", messageId: "message" };
const LEASE = { ...KEY, fence: 1 };
const PIECE = { ...KEY, attempt: 1, piece: 0, body: bytes("beginning") };
const ACT = { rule: "keep-piece", lease: LEASE, piece: PIECE } as const;

test("a piece is stored for as long as its message is being sent by this lease", () => {
  assert.deepEqual(keepPiece.needs(ACT), { messages: [LEASE] });
  const { state } = aNewMessage({ leasedBy: "node" });
  assert.deepEqual(keepPiece.decide(ACT, rowsOf({ messages: [state] })), {
    changes: [{ type: "body-piece.put", piece: PIECE }],
    answer: "kept",
  });
  const waiting = { ...state, phase: "waiting" as const };
  for (const messages of [[], [{ ...state, fence: 2 }], [waiting]]) {
    assert.deepEqual(keepPiece.decide(ACT, rowsOf({ messages })), { changes: [], answer: "stale" });
  }
});
