import type { AttemptRecord } from "../../core/model/message/attempt.ts";
import { PIECE_BYTES } from "../../core/model/message/body-piece.ts";
import type { Lease } from "../../core/model/message/message.ts";
import { beginningOf } from "../../core/rules/message/callback.ts";
import type { KeepPieceAct } from "../../core/rules/message/keep-piece.ts";
import type { FollowUpSource } from "../../core/rules/message/settlement.ts";
import type { Store } from "../../store/store.ts";

/** Stores a piece, however long the store is away. */
export type KeepPiece = (act: KeepPieceAct) => Promise<"kept" | "stale">;

/** Whether the settlement would keep the acts of others waiting: where there is one writer, they do. */
export function isStoredAhead(
  { isOnlyWriter }: Pick<Store, "isOnlyWriter">,
  { message, responseBody }: FollowUpSource,
): boolean {
  return isOnlyWriter && message.run === undefined && responseBody.byteLength > PIECE_BYTES;
}

/**
 * Stores the beginning of a large report in pieces, so that others are written between them. The
 * settlement is left with the rest.
 */
export async function storeAhead(
  keep: KeepPiece,
  lease: Lease,
  attempt: AttemptRecord,
  source: FollowUpSource,
): Promise<FollowUpSource> {
  const { accountId, messageId } = lease;
  const key = { accountId, messageId, attempt: attempt.number };
  let bytesAhead = 0;
  let made = 0;
  for (const bodies of inTurns(beginningOf(source, { attempt }))) {
    const acts = bodies.map((body): KeepPieceAct => {
      return { rule: "keep-piece", lease, piece: { ...key, piece: made++, body } };
    });
    const kept = await Promise.all(acts.map(keep));
    // The settlement will find the same.
    if (kept.includes("stale")) return source;
    for (const body of bodies) bytesAhead += body.byteLength;
  }
  return { ...source, responseBody: NOTHING, bytesAhead };
}

function* inTurns(pieces: Iterable<Uint8Array>): Generator<Uint8Array[]> {
  let turn: Uint8Array[] = [];
  for (const piece of pieces) {
    if (turn.push(piece) < PIECES_AT_ONCE) continue;
    yield turn;
    turn = [];
  }
  if (turn.length > 0) yield turn;
}

/** An account alone writes them in one group; beside others each waits for its turn. */
const PIECES_AT_ONCE = 4;
const NOTHING = new Uint8Array(0);
