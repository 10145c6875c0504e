import type { Deduplication } from "../../../core/change.ts";
import type { MessageState } from "../../../core/model/message/message.ts";
import type { ClockTime } from "../../../platform/clock.ts";
import { TABLE_WRITES } from "../../group/table-writes.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { DEAD_LETTERS, DEDUPLICATIONS, MESSAGES } from "../../records/message-tables.ts";
import { changeService } from "../tables/accounts.ts";
import { dailyTally } from "../tables/daily-counts.ts";
import type { Session } from "../driver/conversation.ts";
import { lockKnown } from "./known-leases.ts";
import { messageWrite } from "./message-write.ts";
import { touchesLines, writeLines } from "./write-lines.ts";
import { addTo, changeIn, putInto, removeFrom, tableWriter } from "./table-statements.ts";

export interface WriteOptions {
  /** Deduplication keys that are stored already. */
  readonly taken?: ReadonlyMap<string, Deduplication>;
  /** Messages whose rows this transaction has not locked; see KnownLeases. */
  readonly unread?: ReadonlyMap<string, MessageState>;
  /** The writer to whose counts of the day this group adds; without one nothing is counted. */
  readonly writer?: string;
}

/**
 * Writes what the rules of a group have changed, and commits when nothing is left to read. True
 * when the change freed a slot that a waiting message can use.
 */
export async function write(
  session: Session,
  rows: WorkingSet,
  time: ClockTime,
  { taken = new Map(), unread = new Map(), writer }: WriteOptions = {},
): Promise<boolean> {
  const tallies = writer === undefined ? [] : dailyTally(rows);
  // Removed rows are locked in order by the statement that removes them.
  const isLockedFirst = unread.size > 0 && rows.updated.size > 0;
  const messages = messageWrite(rows, isLockedFirst ? new Map() : unread, tallies, writer ?? "");
  const isLast = messages !== null && !touchesLines(rows);
  // Sent one after the other without waiting: none of them needs the answer to another.
  const beside = Promise.all([
    isLockedFirst && lockKnown(session, unread),
    messages !== null && !isLast && session.query(messages.text, messages.values),
    changeMessages(session, rows.updated.values()),
    addDeadLetters(session, rows.deadLetters.put.values()),
    removeDeadLetters(session, rows.deadLetters.removed.values()),
    putDeduplications(session, notYetTaken(rows, taken)),
    writeTables(session, rows),
    changeService(session, rows),
  ]);
  if (isLast) {
    await Promise.all([session.last(messages.text, messages.values), beside]);
    return false;
  }
  const [freedSlot] = await Promise.all([
    writeLines(session, rows, time.now + time.aheadMs),
    beside,
  ]);
  return freedSlot;
}

function notYetTaken(
  { deduplicationsTaken }: WorkingSet,
  taken: ReadonlyMap<string, Deduplication>,
): Deduplication[] {
  return [...deduplicationsTaken].flatMap(([key, each]) =>
    taken.get(key)?.messageId === each.messageId ? [] : [each],
  );
}

const writeTables = tableWriter(TABLE_WRITES);
const changeMessages = changeIn(MESSAGES);
const addDeadLetters = addTo(DEAD_LETTERS);
const removeDeadLetters = removeFrom(DEAD_LETTERS);
const putDeduplications = putInto(DEDUPLICATIONS);
