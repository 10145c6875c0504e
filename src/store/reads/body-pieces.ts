import { PIECE_BYTES } from "../../core/model/message/body-piece.ts";
import type { Message } from "../../core/model/message/message.ts";
import { bytesIn } from "../records/rows.ts";
import { type Key, lookUp, type Reading, rowsOf } from "./reading.ts";

export const PIECES_SQL = {
  /** From piece `$4` to `$5`, the first `$6` bytes of each. */
  pieces: `SELECT substr(body, 1, $6) AS body FROM body_pieces
    WHERE account_id = $1 AND message_id = $2 AND attempt = $3 AND piece >= $4 AND piece <= $5
    ORDER BY piece`,
  /** Of what the message's own row holds, `$4` bytes from the `$3`th on. */
  bodyPart: `SELECT substr(body, $3, $4) AS body FROM facts
    WHERE account_id = $1 AND message_id = $2`,
} as const;

/** A message, and what its own row holds of its body. */
interface Found {
  readonly message: Message;
  readonly body: Uint8Array;
}

/** The bodies of messages up to a size. Only those of large reports begin in pieces. */
export function* wholeBodies(
  found: readonly Found[],
  bytesMax = Infinity,
): Reading<readonly Uint8Array[]> {
  const bodies = found.map(({ body }) => body);
  const split = found.flatMap(({ message }, index) => (message.ahead === undefined ? [] : [index]));
  if (split.length === 0) return bodies;
  const keys = split.map((index) => keyOfPieces(found[index]!.message));
  const piecesMax = Math.ceil(Math.min(bytesMax, BYTES_MAX) / PIECE_BYTES);
  const values = [0, piecesMax - 1, Math.min(bytesMax, PIECE_BYTES)];
  const rows = yield* lookUp(PIECES_SQL.pieces, keys, values);
  for (const [nth, index] of split.entries()) {
    const { bytes } = found[index]!.message.ahead!;
    // A try before, whose node died, may have left more pieces than this report has.
    const pieces = rows[nth]!.slice(0, Math.ceil(bytes / PIECE_BYTES));
    const beginning = pieces.map((row) => row["body"] as Uint8Array);
    bodies[index] = joined([...beginning, bodies[index]!], bytesMax);
  }
  return bodies;
}

/** So many bytes of a body from an offset on, fewer at its end; null when the message is gone. */
export function* bodyPart(
  message: Message,
  from: number,
  count: number,
): Reading<Uint8Array | null> {
  const ahead = message.ahead?.bytes ?? 0;
  const inPieces = Math.min(count, Math.max(0, ahead - from));
  const beginning = inPieces === 0 ? null : yield* piecesPart(message, from, inPieces);
  if (inPieces === count) return beginning;
  const own = [Math.max(0, from - ahead) + 1, count - inPieces] as const;
  const [row] = yield* rowsOf(PIECES_SQL.bodyPart, [message.accountId, message.messageId, ...own]);
  if (row === undefined) return null;
  const rest = bytesIn(row["body"]);
  return beginning === null ? rest : joined([beginning, rest]);
}

function* piecesPart(message: Message, from: number, count: number): Reading<Uint8Array> {
  const first = Math.floor(from / PIECE_BYTES);
  const last = Math.floor((from + count - 1) / PIECE_BYTES);
  const rows = yield* lookUp(PIECES_SQL.pieces, [keyOfPieces(message)], [first, last, PIECE_BYTES]);
  const whole = joined(rows[0]!.map((row) => row["body"] as Uint8Array));
  const start = from - first * PIECE_BYTES;
  return whole.subarray(start, start + count);
}

/** They are kept beside the message that this one reports about. */
function keyOfPieces({ accountId, sourceId, ahead }: Message): Key {
  return [accountId, sourceId!, ahead!.attempt];
}

function joined(parts: readonly Uint8Array[], bytesMax = Infinity): Uint8Array {
  const size = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const whole = new Uint8Array(Math.min(size, bytesMax));
  let at = 0;
  for (const part of parts) {
    const fitting = part.subarray(0, whole.length - at);
    whole.set(fitting, at);
    at += fitting.byteLength;
  }
  return whole;
}

/** More than a body can have. */
const BYTES_MAX = 2 ** 31;
