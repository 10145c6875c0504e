import type { LineKey } from "../../../core/model/line/line-setting.ts";
import { pairKey } from "../../group/row-keys.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import { columnsOf } from "../group/columns.ts";
import type { Session } from "../driver/conversation.ts";
import type { Candidate } from "./lease.ts";
import { nameColumns } from "./line-state.ts";

/**
 * Messages of paused queues go back into their queues, where they block no others. They keep their
 * positions, and leave again when the queue is resumed. Skips rows that another transaction has
 * locked. Returns the keys of the messages moved.
 */
export async function park(
  session: Session,
  candidates: readonly Candidate[],
  now: number,
): Promise<ReadonlySet<string>> {
  const held = candidates.filter(({ pausedQueue }) => pausedQueue !== null);
  if (held.length === 0) return NONE;
  const queues = await lockQueues(session, held);
  const names = new Set(queues.map(keyOf));
  const going = held.filter((each) => names.has(keyOf(queueOf(each))));
  if (going.length === 0) return NONE;
  const columns = columnsOf(
    going,
    ({ accountId }) => accountId,
    ({ messageId }) => messageId,
  );
  // A queue that was resumed in the meantime was visited without these messages, so it becomes due
  // again.
  const [gone] = await Promise.all([
    session.query(CLAIM_SQL.park, columns),
    session.query(CLAIM_SQL.makeLinesDue, [...nameColumns(queues), now]),
  ]);
  return new Set(
    gone.map((row) => pairKey(row["account_id"] as string, row["message_id"] as string)),
  );
}

/** The queues, without those that another transaction has locked. */
async function lockQueues(session: Session, held: readonly Candidate[]): Promise<LineKey[]> {
  const wanted = new Map(held.map((each) => [keyOf(queueOf(each)), queueOf(each)]));
  const sorted = [...wanted.keys()].toSorted().flatMap((key) => wanted.get(key) ?? []);
  const [, rows] = await Promise.all([
    session.query(CLAIM_SQL.addLines, nameColumns(sorted)),
    session.query(CLAIM_SQL.lockLines, nameColumns(sorted)),
  ]);
  return rows.map((row) => ({
    accountId: row["account_id"] as string,
    line: row["line"] as string,
  }));
}

function queueOf({ accountId, pausedQueue }: Candidate): LineKey {
  return { accountId, line: pausedQueue ?? "" };
}

const keyOf = ({ accountId, line }: LineKey): string => pairKey(accountId, line);
const NONE: ReadonlySet<string> = new Set();
