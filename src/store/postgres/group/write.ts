import type { Deduplication } from "../../../core/change.ts";
import type { ClockTime } from "../../../platform/clock.ts";
import { dailyTally } from "../../group/daily-tally.ts";
import { TABLE_WRITES } from "../../group/table-writes.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { DEAD_LETTERS, DEDUPLICATIONS, MESSAGES } from "../../records/message-tables.ts";
import { changeService } from "../tables/accounts.ts";
import type { Session } from "../driver/conversation.ts";
import { touchesLines, writeLines } from "./write-lines.ts";
import { messageWrite } from "./write-messages.ts";
import { addTo, changeIn, putInto, removeFrom, tableWriter } from "./table-statements.ts";

export interface WriteOptions {
  /** Deduplication keys that are stored already. */
  readonly taken?: ReadonlyMap<string, Deduplication>;
  /**
   * The writer whose rows of the day's counts this group adds to; nothing is counted without one.
   */
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
  { taken = new Map(), writer }: WriteOptions = {},
): Promise<boolean> {
  const tallies = writer === undefined ? [] : dailyTally(rows);
  const messages = messageWrite(rows, tallies, writer ?? "");
  const isLast = messages !== null && !touchesLines(rows);
  // Sent one after the other without waiting: none of them needs the answer to another.
  const beside = Promise.all([
    messages !== null && !isLast && session.query(messages.text, messages.values),
    changeMessages(session, rows.updated.values()),
    addDeadLetters(session, rows.deadLettersAdded.values()),
    removeDeadLetters(session, rows.deadLettersRemoved.values()),
    putDeduplications(session, notYetTaken(rows, taken)),
    writeTables(session, rows),
    changeService(session, rows),
  ]);
  if (isLast) {
    await beside;
    await session.last(messages.text, messages.values);
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
