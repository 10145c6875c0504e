import { lineKind } from "../../../core/model/line/line.ts";
import type { Session } from "../driver/conversation.ts";

/**
 * A writer that finds a line due leaves its row alone, so that it does not shut claims out of it.
 * A claim that puts the line to sleep meanwhile would never hear of what that writer commits. So
 * writers share the line's lock until they commit, and a claim takes it for itself before it lets
 * the line sleep. The locks are of the transaction, as poolers want it, and few: lines share them.
 */
export interface NamedLine {
  readonly accountId: string;
  readonly line: string;
}

/** Waits for claims that are putting one of the lines to sleep. */
export async function shareLines(session: Session, lines: readonly NamedLine[]): Promise<void> {
  if (lines.length === 0) return;
  // Counted, so that one row comes back in place of one for each lock.
  await session.query(
    `SELECT count(pg_advisory_xact_lock_shared($1::int, bucket))
     FROM (SELECT unnest($2::int[]) AS bucket) b`,
    [LOCK_CLASS, bucketsOf(lines)],
  );
}

/** Waits until nobody writes into the lines, and keeps others from it. */
export async function keepLines(session: Session, lines: readonly NamedLine[]): Promise<void> {
  if (lines.length === 0) return;
  await session.query(
    "SELECT pg_advisory_xact_lock($1::int, bucket) FROM unnest($2::int[]) AS bucket",
    [LOCK_CLASS, bucketsOf(lines)],
  );
}

/** Never waits. Answers which of the lines no writer is busy with. */
export async function ownLines<Line extends NamedLine>(
  session: Session,
  lines: readonly Line[],
): Promise<Set<Line>> {
  const rows = await session.query(
    `SELECT bucket, pg_try_advisory_xact_lock($1::int, bucket) AS own
     FROM unnest($2::int[]) AS bucket`,
    [LOCK_CLASS, bucketsOf(lines)],
  );
  const own = new Set(rows.filter((row) => row["own"] === true).map((row) => row["bucket"]));
  return new Set(lines.filter((line) => own.has(bucketOf(line))));
}

/**
 * Whoever lets messages through a queue or a key counts those that it holds, so that only one may at
 * a time: the claim that serves it, or a writer that would store a message already under way. Never
 * waits. Answers which of the lines are this transaction's.
 */
export async function ownRoom<Line extends NamedLine>(
  session: Session,
  lines: readonly Line[],
): Promise<Set<Line>> {
  const limited = lines.filter(isLimited);
  if (limited.length === 0) return new Set(lines);
  const rows = await session.query(
    `SELECT pg_try_advisory_xact_lock($1::int, number) AS own
     FROM unnest($2::int[]) WITH ORDINALITY AS k (number, place) ORDER BY place`,
    [ROOM_CLASS, limited.map(roomNumber)],
  );
  const others = new Set(limited.filter((_, index) => rows[index]?.["own"] !== true));
  return new Set(lines.filter((line) => !others.has(line)));
}

/** The number by which the room of a line is owned; another line may have it too. */
export function roomNumber(line: NamedLine): number {
  return hashOf(line) | 0;
}

function isLimited({ line }: NamedLine): boolean {
  const kind = lineKind(line);
  return kind === "queue" || kind === "key";
}

/** Suspects are given out by one claim at a time. */
export async function ownSuspects(session: Session): Promise<boolean> {
  const [row] = await session.query("SELECT pg_try_advisory_xact_lock($1::int, $2::int) AS own", [
    LOCK_CLASS,
    SUSPECTS,
  ]);
  return row?.["own"] === true;
}

/** One program at a time brings the schema up to date. */
export async function ownSchema(session: Session): Promise<void> {
  await session.query("SELECT pg_advisory_xact_lock($1::int, $2::int)", [LOCK_CLASS, SCHEMA]);
}

function bucketsOf(lines: readonly NamedLine[]): number[] {
  return [...new Set(lines.map(bucketOf))].toSorted((one, other) => one - other);
}

function bucketOf(line: NamedLine): number {
  return hashOf(line) % BUCKETS;
}

/** FNV-1a. Every program that uses the database must come to the same number. */
function hashOf({ accountId, line }: NamedLine): number {
  return fold(fold(fold(0x811c9dc5, accountId), "\0"), line) >>> 0;
}

function fold(hash: number, text: string): number {
  let folded = hash;
  for (let index = 0; index < text.length; index++) {
    const letter = text.codePointAt(index)!;
    if (letter > 0xffff) index += 1;
    folded = Math.imul(folded ^ letter, 0x01000193);
  }
  return folded;
}

/** "post" as a number, so that locks of other programs in the database are not ours. */
const LOCK_CLASS = 0x706f7374;
export const ROOM_CLASS: number = LOCK_CLASS + 1;
/** Bounded, since the locks of all transactions share a table of the server. */
const BUCKETS = 256;
const SUSPECTS = BUCKETS;
const SCHEMA = BUCKETS + 1;
