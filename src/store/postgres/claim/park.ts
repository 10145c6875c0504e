import type { LineKey } from "../../../core/model/line/line-setting.ts";
import { pairKey } from "../../group/row-keys.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import { columnsOf } from "../group/columns.ts";
import type { Session } from "../driver/conversation.ts";
import type { Candidate } from "./lease.ts";
import { nameColumns } from "./line-look.ts";

/**
 * Messages whose queues are paused go back into them, where they hold up nobody. They keep their
 * places, and come in again when the queue is resumed. It waits for nobody. Answers the keys of those
 * that have gone.
 */
export async function park(
  session: Session,
  candidates: readonly Candidate[],
  now: number,
): Promise<ReadonlySet<string>> {
  const held = candidates.filter(({ pausedQueue }) => pausedQueue !== null);
  if (held.length === 0) return NOBODY;
  const queues = await ownQueues(session, held);
  const names = new Set(queues.map(keyOf));
  const going = held.filter((each) => names.has(keyOf(queueOf(each))));
  if (going.length === 0) return NOBODY;
  const columns = columnsOf(
    going,
    ({ accountId }) => accountId,
    ({ messageId }) => messageId,
  );
  // Resumed since, a queue has looked for them in vain: it is to look again.
  const [gone] = await Promise.all([
    session.query(CLAIM_SQL.park, columns),
    session.query(CLAIM_SQL.wakeLines, [...nameColumns(queues), now]),
  ]);
  return new Set(
    gone.map((row) => pairKey(row["account_id"] as string, row["message_id"] as string)),
  );
}

/** The queues, as far as nobody else is busy with them. */
async function ownQueues(session: Session, held: readonly Candidate[]): Promise<LineKey[]> {
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
const NOBODY: ReadonlySet<string> = new Set();
