import type { Deduplication, NewMessage } from "../../core/change.ts";
import { isSuspect, type MessageState } from "../../core/model/message-state.ts";
import type { NewHold } from "../line-rows.ts";
import type { LogStep } from "../log-step.ts";
import type { WorkingSet } from "../working-set.ts";
import { writeAccounts } from "./accounts.ts";
import { columnsOf, packBodies, storable } from "./columns.ts";
import type { Session } from "./connection.ts";
import { writeKept } from "./kept.ts";
import { writeRuns } from "./runs.ts";
import { writeLines } from "./write-lines.ts";
import { WRITE_SQL } from "./write-sql.ts";

const NOTHING = new Uint8Array(0);
const NOTHING_TAKEN: ReadonlyMap<string, Deduplication> = new Map();

/**
 * Writes what the rules of a group have changed, a statement to a table. Answers whether that gave
 * room to somebody who waited for it.
 */
export async function write(
  session: Session,
  rows: WorkingSet,
  now: number,
  taken: ReadonlyMap<string, Deduplication> = NOTHING_TAKEN,
): Promise<boolean> {
  const put = putter(session);
  const freed = writeHolds(session, rows);
  // Sent one after the other without waiting: none of them asks what another has answered.
  await Promise.all([
    freed,
    put("addFacts", factColumns(rows.added)),
    put("addMessages", stateColumns(rows.inserted.values(), true)),
    put("changeMessages", stateColumns(rows.updated.values(), false)),
    put("endMessages", keyColumns(rows.ended.values())),
    put("addHolds", holdColumns(rows.lines.holdsAdded)),
    put("addSteps", stepColumns(rows.steps)),
    writeDeadLetters(session, rows),
    writeDeduplications(session, rows, taken),
    writeKept(session, rows),
    writeAccounts(session, rows),
    writeRuns(session, rows),
  ]);
  const freedNow = (await freed).map((line) => ({ ...line, at: now }));
  return writeLines(session, rows, freedNow);
}

type Freed = readonly { readonly accountId: string; readonly line: string }[];

/** A statement for no rows at all is not sent. */
function putter(session: Session) {
  return async (statement: keyof typeof WRITE_SQL, columns: unknown[]): Promise<void> => {
    if ((columns[0] as unknown[]).length > 0) await session.query(WRITE_SQL[statement], columns);
  };
}

function factColumns(added: readonly NewMessage[]): unknown[] {
  const columns = columnsOf(
    added,
    ({ state }) => state.accountId,
    ({ state }) => state.messageId,
    ({ createdAt }) => createdAt,
    ({ facts }) => facts,
  );
  return [...columns, ...packBodies(added.map(({ body }) => body))];
}

function stateColumns(states: Iterable<MessageState>, whole: boolean): unknown[] {
  const changing: ((state: MessageState) => unknown)[] = [
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
  ];
  const fixed: ((state: MessageState) => unknown)[] = [
    (state) => state.host,
    (state) => state.bytes,
    (state) => state.rootId,
    (state) => state.run?.runId ?? null,
    (state) => state.run?.createdAt ?? null,
  ];
  return columnsOf(states, ...changing, ...(whole ? fixed : []));
}

function keyColumns(keys: Iterable<{ accountId: string; messageId: string }>): unknown[] {
  return columnsOf(
    keys,
    ({ accountId }) => accountId,
    ({ messageId }) => messageId,
  );
}

function holdColumns(holds: readonly NewHold[]): unknown[] {
  return columnsOf(
    holds,
    ({ accountId }) => accountId,
    ({ rootId }) => rootId,
    ({ line }) => line,
  );
}

function stepColumns(steps: readonly LogStep[]): unknown[] {
  const columns = columnsOf(
    steps,
    ({ entry }) => entry.accountId,
    ({ entry }) => entry.messageId,
    ({ entry }) => entry.at,
    ({ entry }) => entry.state,
    ({ next }) => next?.state ?? null,
    ({ entry, next }) => entry.attempt ?? next?.attempt ?? null,
    ({ entry }) => entry.status ?? null,
    ({ entry }) => storable(entry.error),
    ({ entry, next }) => entry.nextAt ?? next?.nextAt ?? null,
    ({ attempt }) => attempt?.startedAt ?? null,
    ({ attempt }) => attempt?.endedAt ?? null,
    ({ attempt }) => attempt?.headers ?? null,
  );
  return [...columns, ...packBodies(steps.map(({ attempt }) => attempt?.body ?? NOTHING))];
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

/** The last one to go frees the queue's slot. Answers the queues in which that happened. */
async function writeHolds(session: Session, rows: WorkingSet): Promise<Freed> {
  const { holds } = rows.lines;
  if (holds.size === 0) return [];
  const columns = columnsOf(
    [...holds.keys()].toSorted().flatMap((key) => holds.get(key) ?? []),
    (hold) => hold.accountId,
    (hold) => hold.rootId,
    (hold) => hold.by,
  );
  const freed = await session.query(WRITE_SQL.changeHolds, columns);
  return freed.map((row) => ({
    accountId: row["account_id"] as string,
    line: row["line"] as string,
  }));
}
