import type { Deduplication } from "../../../core/change.ts";
import type { MessageKey, MessageState } from "../../../core/model/message/message.ts";
import type { ClockTime } from "../../../platform/clock.ts";
import { TABLE_WRITES } from "../../group/table-writes.ts";
import { messageKey } from "../../group/row-keys.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import {
  DEAD_LETTERS,
  DEDUPLICATIONS,
  FACTS,
  LOG_ENTRIES,
  MESSAGES,
} from "../../records/message-tables.ts";
import { allColumns } from "../../records/table.ts";
import { changeService } from "../tables/accounts.ts";
import { DAILY_COUNTS, type DailyTally, dailyTally } from "../tables/daily-counts.ts";
import type { Session } from "../driver/conversation.ts";
import { inKeyOrder, lockKnown, requireCount, STILL_LEASED } from "./known-leases.ts";
import { hasKey, MESSAGE_KEY } from "./rows-by-key.ts";
import { touchesLines, writeLines } from "./write-lines.ts";
import { SentRows } from "./sent-rows.ts";
import { addSql, addTo, changeIn, putInto, removeFrom, tableWriter } from "./table-statements.ts";

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

/** All that a group writes of messages, in one statement. */
interface MessageWrite {
  readonly text: string;
  readonly values: readonly unknown[];
}

interface EndedMessage extends MessageKey {
  /** The lease that ends, where the row is not locked. */
  readonly fence: number | null;
}

function messageWrite(
  { added, inserted, ended, steps }: WorkingSet,
  unread: ReadonlyMap<string, MessageState>,
  tallies: readonly DailyTally[],
  writer: string,
): MessageWrite | null {
  if (added.length + inserted.size + ended.size + steps.length + tallies.length === 0) return null;
  const values = [
    ...FACT_ROWS.values(added),
    ...MESSAGE_ROWS.values(inserted.values()),
    ...ENDED_ROWS.values(inKeyOrder(ended).map((key) => withFence(key, unread))),
    ...TALLY_ROWS.values(tallies),
    ...LOG_ROWS.values(steps),
    writer,
  ];
  return { text: MESSAGES_SQL, values };
}

function withFence(key: MessageKey, unread: ReadonlyMap<string, MessageState>): EndedMessage {
  return { ...key, fence: unread.get(messageKey(key))?.fence ?? null };
}

const FACT_ROWS = new SentRows(allColumns(FACTS));
const MESSAGE_ROWS = new SentRows(allColumns(MESSAGES), FACT_ROWS.last);
const ENDED_ROWS = new SentRows<EndedMessage>(
  [...MESSAGES.key, ["fence", "bigint?", ({ fence }) => fence]],
  MESSAGE_ROWS.last,
);
const TALLY_ROWS = new SentRows(allColumns(DAILY_COUNTS), ENDED_ROWS.last);
const LOG_ROWS = new SentRows(allColumns(LOG_ENTRIES), TALLY_ROWS.last);
const WRITER = `$${LOG_ROWS.last + 1}::text`;

const POSITION = "CASE WHEN root_id = message_id THEN nextval('queue_positions') END";

// The statement may write all these tables at once, since none of the writes reads another's
// result.
const MESSAGES_SQL = `WITH new_facts AS (
    ${addSql(FACTS, FACT_ROWS)}
  ), new_messages AS (
    ${addSql(MESSAGES, MESSAGE_ROWS, { position: POSITION })}
  ), ended AS (
    DELETE FROM messages USING (
      SELECT row.ctid FROM ${ENDED_ROWS.relation} k
      CROSS JOIN LATERAL (
        SELECT ctid FROM messages WHERE ${hasKey(MESSAGE_KEY)} AND ${STILL_LEASED} FOR UPDATE
      ) row
    ) removed
    WHERE messages.ctid = removed.ctid
    RETURNING 1
  ), counted AS (
    ${addSql(DAILY_COUNTS, TALLY_ROWS, { writer: WRITER })}
    ON CONFLICT (account_id, day, writer) DO UPDATE SET
      messages = c.messages + excluded.messages, delivered = c.delivered + excluded.delivered,
      failed = c.failed + excluded.failed
  ), logged AS (
    ${addSql(LOG_ENTRIES, LOG_ROWS)}
  )
  ${requireCount("ended", `$${ENDED_ROWS.last}::int`)}`;
