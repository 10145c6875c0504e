import type { Deduplication } from "../../../core/change.ts";
import { isSuspect, type MessageState } from "../../../core/model/message/message-state.ts";
import type { ClockTime } from "../../../platform/clock.ts";
import { dailyTally } from "../../group/daily-tally.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { writeAccounts } from "../tables/accounts.ts";
import { columnsOf, storable } from "./columns.ts";
import type { Session } from "../driver/conversation.ts";
import { writeResources } from "../tables/resources.ts";
import { writeRuns } from "../tables/runs.ts";
import { touchesLines, writeLines } from "./write-lines.ts";
import { messageWrite } from "./write-messages.ts";
import { WRITE_SQL } from "./write-sql.ts";

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
    putter(session)("changeMessages", stateColumns(rows.updated.values())),
    writeDeadLetters(session, rows),
    writeDeduplications(session, rows, taken),
    writeResources(session, rows),
    writeAccounts(session, rows),
    writeRuns(session, rows),
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

/** A statement without rows is not sent. */
function putter(session: Session) {
  return async (statement: keyof typeof WRITE_SQL, columns: unknown[]): Promise<void> => {
    if ((columns[0] as unknown[]).length > 0) await session.query(WRITE_SQL[statement], columns);
  };
}

function stateColumns(states: Iterable<MessageState>): unknown[] {
  return columnsOf(
    states,
    (state) => state.accountId,
    (state) => state.messageId,
    (state) => (state.phase === "active" ? 1 : 0),
    (state) => state.attempts,
    (state) => state.readyAt,
    (state) => state.line,
    (state) => state.lineAfter,
    (state) => state.fence,
    (state) => state.nodeId,
    (state) => state.leasedAt,
    (state) => state.losses,
    (state) => isSuspect(state),
    (state) => state.cancelRequested,
  );
}

async function writeDeadLetters(session: Session, rows: WorkingSet): Promise<void> {
  const put = putter(session);
  const added = columnsOf(
    rows.deadLettersAdded.values(),
    (letter) => letter.accountId,
    (letter) => letter.diedAt,
    (letter) => letter.number,
    (letter) => letter.messageId,
    (letter) => letter.attempt,
    (letter) => letter.status,
    (letter) => storable(letter.error),
    (letter) => letter.run?.runId ?? null,
    (letter) => letter.run?.createdAt ?? null,
  );
  const removed = columnsOf(
    rows.deadLettersRemoved.values(),
    (key) => key.accountId,
    (key) => key.diedAt,
    (key) => key.number,
  );
  await Promise.all([put("addDeadLetters", added), put("removeDeadLetters", removed)]);
}

async function writeDeduplications(
  session: Session,
  rows: WorkingSet,
  taken: ReadonlyMap<string, Deduplication>,
): Promise<void> {
  const missing = [...rows.deduplicationsTaken].filter(
    ([key, { messageId }]) => taken.get(key)?.messageId !== messageId,
  );
  const columns = columnsOf(
    missing,
    ([, each]) => each.accountId,
    ([, each]) => each.key,
    ([, each]) => each.messageId,
    ([, each]) => each.expiresAt,
  );
  await putter(session)("takeDeduplications", columns);
}
