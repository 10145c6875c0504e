import type { Lease } from "../../model/message/message.ts";
import type { BodyPiece } from "../../model/message/body-piece.ts";
import { mapBody, type Rule } from "../../rule.ts";
import { held } from "./settle.ts";

export interface KeepPieceAct {
  readonly rule: "keep-piece";
  readonly lease: Lease;
  readonly piece: BodyPiece;
}

/**
 * Stores a piece of the report that the settlement of this lease will make. Without the lease nothing
 * is stored: the transaction that removes a message that has ended removes all of its pieces.
 */
export const keepPiece: Rule<KeepPieceAct, "kept" | "stale"> = {
  needs: ({ lease }) => ({ messages: [lease] }),
  decide: ({ lease, piece }, rows) =>
    held(lease, rows) === null
      ? { changes: [], answer: "stale" }
      : { changes: [{ type: "body-piece.put", piece }], answer: "kept" },
  mapParts: (act, map) => ({ ...act, piece: mapBody(act.piece, map) }),
};
