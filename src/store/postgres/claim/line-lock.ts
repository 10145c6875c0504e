import type { LineKey } from "../../../core/model/line/line.ts";
import type { Session } from "../driver/conversation.ts";

/**
 * A writer that finds a line due does not write its row, so that claims can still lock it. A claim
 * that postponed the line at that moment would miss what the writer commits. So writers share the
 * line's advisory lock until they commit, and a claim takes it exclusively before it postpones the
 * line. The locks belong to transactions, so that they work behind poolers, and lines share a small
 * number of them.
 *
 * Whatever takes messages from a queue or a key counts those under way first, so only one
 * transaction may do so at a time: the claim that serves it, or a writer that stores a message
 * already leased. For that each line has a second lock, its room. Claims never wait for it; writers
 * wait for that of a flow-control key, before they hold anything else (group/line-rooms.ts).
 */

/** Waits for claims that are postponing one of the lines. */
export async function lockLinesShared(session: Session, lines: readonly LineKey[]): Promise<void> {
  if (lines.length === 0) return;
  // Counted, so that the server returns one row instead of one for each lock.
  await session.query(
    `SELECT count(pg_advisory_xact_lock_shared($1::int, bucket))
     FROM (SELECT unnest($2::int[]) AS bucket) b`,
    [LOCK_CLASS, bucketsOf(lines)],
  );
}

/** Waits for writers of the lines and keeps new ones out until this transaction ends. */
export async function lockLines(session: Session, lines: readonly LineKey[]): Promise<void> {
  if (lines.length === 0) return;
  await session.query(
    "SELECT pg_advisory_xact_lock($1::int, bucket) FROM unnest($2::int[]) AS bucket",
    [LOCK_CLASS, bucketsOf(lines)],
  );
}

/** Never waits. Returns the lines that no writer has locked. */
export async function tryLockLines<Line extends LineKey>(
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

/** The number of the line's room; several lines may share one. */
export function roomNumber(line: LineKey): number {
  return hashOf(line) | 0;
}

/** One claim at a time leases suspects. */
export async function tryLockSuspects(session: Session): Promise<boolean> {
  const [row] = await session.query("SELECT pg_try_advisory_xact_lock($1::int, $2::int) AS own", [
    LOCK_CLASS,
    SUSPECTS,
  ]);
  return row?.["own"] === true;
}

/** One program at a time upgrades the schema. */
export async function lockSchema(session: Session): Promise<void> {
  await session.query("SELECT pg_advisory_xact_lock($1::int, $2::int)", [LOCK_CLASS, SCHEMA]);
}

function bucketsOf(lines: readonly LineKey[]): number[] {
  return [...new Set(lines.map(bucketOf))].toSorted((one, other) => one - other);
}

function bucketOf(line: LineKey): number {
  return hashOf(line) % BUCKETS;
}

/** FNV-1a. Every program that uses the database must compute the same number. */
function hashOf({ accountId, line }: LineKey): number {
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

/** "post" as a number, to stay clear of the locks of other programs in the database. */
const LOCK_CLASS = 0x706f7374;
export const ROOM_CLASS: number = LOCK_CLASS + 1;
/** Bounded, since the locks of all transactions share one table of the server. */
const BUCKETS = 256;
const SUSPECTS = BUCKETS;
const SCHEMA = BUCKETS + 1;
