import type { NewMessage } from "../../../core/change.ts";
import type { MessageKey, MessageState } from "../../../core/model/message/message.ts";
import { messageKey } from "../../group/row-keys.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import type { LogStep } from "../../records/log-step.ts";
import { FACTS, LOG_ENTRIES, MESSAGES } from "../../records/message-tables.ts";
import { allColumns, type Table, unusualColumns } from "../../records/table.ts";
import { DAILY_COUNTS, type DailyTally } from "../tables/daily-counts.ts";
import { inKeyOrder, requireCount, STILL_LEASED } from "./known-leases.ts";
import { hasKey, MESSAGE_KEY } from "./rows-by-key.ts";
import { SentRows } from "./sent-rows.ts";
import { addSql, usualValues } from "./table-statements.ts";

/** All that a group writes of messages, in one statement. */
export interface MessageWrite {
  readonly text: string;
  readonly values: readonly unknown[];
}

interface EndedMessage extends MessageKey {
  /** The lease that ends, where the row is not locked. */
  readonly fence: number | null;
}

/** Null when the group writes nothing of messages. */
export function messageWrite(
  { added, inserted, ended, steps }: WorkingSet,
  unread: ReadonlyMap<string, MessageState>,
  tallies: readonly DailyTally[],
  writer: string,
): MessageWrite | null {
  if (added.length + inserted.size + ended.size + steps.length + tallies.length === 0) return null;
  const states = [...inserted.values()];
  const { text, valuesOf } = statementFor({
    adds: added.length + states.length > 0,
    ends: ended.size > 0,
    isUsual: isUsual(FACTS, added) && isUsual(MESSAGES, states) && isUsual(LOG_ENTRIES, steps),
  });
  const removed = inKeyOrder(ended).map((key) => withFence(key, unread));
  return { text, values: valuesOf({ added, states, removed, tallies, steps, writer }) };
}

function withFence(key: MessageKey, unread: ReadonlyMap<string, MessageState>): EndedMessage {
  return { ...key, fence: unread.get(messageKey(key))?.fence ?? null };
}

interface MessageRows {
  readonly added: readonly NewMessage[];
  readonly states: readonly MessageState[];
  readonly removed: readonly EndedMessage[];
  readonly tallies: readonly DailyTally[];
  readonly steps: readonly LogStep[];
  readonly writer: string;
}

/** What decides which statement writes a group. */
interface Shape {
  readonly adds: boolean;
  readonly ends: boolean;
  /** All rows have the usual values, so their columns are left out. */
  readonly isUsual: boolean;
}

function isUsual<Key, Item extends Key>(
  { columns, usual = {} }: Table<Key, Item>,
  rows: readonly Item[],
): boolean {
  return columns.every(
    ([name, , valueOf]) => !(name in usual) || rows.every((row) => valueOf(row) === usual[name]),
  );
}

interface MessageStatement {
  readonly text: string;
  readonly valuesOf: (rows: MessageRows) => unknown[];
}

/** The few statements that there are, made when they are first needed. */
const STATEMENTS: MessageStatement[] = [];

/**
 * For each column and part of a statement the server has work to do before it reads the first row.
 * In a group of a few messages that is most of its work, so a group sends no more than it needs.
 */
function statementFor(shape: Shape): MessageStatement {
  const index = (shape.adds ? 1 : 0) + (shape.ends ? 2 : 0) + (shape.isUsual ? 4 : 0);
  return (STATEMENTS[index] ??= makeStatement(shape));
}

// The statement may write all these tables at once, since none of the writes reads another's
// result.
function makeStatement({ adds, ends, isUsual: usual }: Shape): MessageStatement {
  const made: MadePart[] = [];
  for (const part of [...(adds ? [ADD_FACTS, ADD_MESSAGES] : []), ADD_COUNTS, ADD_STEPS]) {
    made.push(part(usual, made.at(-1)?.last ?? WRITER));
  }
  const ended = ends ? removeEnded(made.at(-1)!.last) : null;
  if (ended !== null) made.push(ended);
  const answer = ended === null ? "SELECT 0" : requireCount("ended", `$${ended.last}::int`);
  return {
    text: `WITH ${made.map(({ name, sql }) => `${name} AS (${sql})`).join(", ")} ${answer}`,
    valuesOf: (rows) => [rows.writer, ...made.flatMap(({ valuesOf }) => valuesOf(rows))],
  };
}

/** The number of its parameter. */
const WRITER = 1;

/** Writes one table; the parameters of the next part begin behind `last`. */
interface MadePart {
  readonly name: string;
  readonly sql: string;
  readonly last: number;
  readonly valuesOf: (rows: MessageRows) => unknown[];
}

type Part = (usual: boolean, last: number) => MadePart;

/** `drawn` has the columns beside the table's own, where rows have more than the usual. */
function adding<Key, Item extends Key>(
  name: string,
  table: Table<Key, Item>,
  itemsOf: (rows: MessageRows) => readonly Item[],
  drawn: Readonly<Record<string, string>> = {},
): Part {
  return (usual, last) => {
    const rows = new SentRows(usual ? unusualColumns(table) : allColumns(table), last);
    return {
      name,
      sql: addSql(table, rows, usual ? usualValues(table) : drawn),
      last: rows.last,
      valuesOf: (given) => rows.values(itemsOf(given)),
    };
  };
}

const ADD_FACTS = adding("new_facts", FACTS, ({ added }) => added);
const ADD_MESSAGES = adding("new_messages", MESSAGES, ({ states }) => states, {
  position: "CASE WHEN root_id = message_id THEN nextval('queue_positions') END",
});
const ADD_STEPS = adding("logged", LOG_ENTRIES, ({ steps }) => steps);

const ADD_COUNTS: Part = (_, last) => {
  const rows = new SentRows(allColumns(DAILY_COUNTS), last);
  return {
    name: "counted",
    sql: `${addSql(DAILY_COUNTS, rows, { writer: `$${WRITER}::text` })}
      ON CONFLICT (account_id, day, writer) DO UPDATE SET
        messages = c.messages + excluded.messages, delivered = c.delivered + excluded.delivered,
        failed = c.failed + excluded.failed`,
    last: rows.last,
    valuesOf: ({ tallies }) => rows.values(tallies),
  };
};

function removeEnded(last: number): MadePart {
  const rows = new SentRows<EndedMessage>(
    [...MESSAGES.key, ["fence", "bigint?", ({ fence }) => fence]],
    last,
  );
  return {
    name: "ended",
    sql: `DELETE FROM messages USING (
        SELECT row.ctid FROM ${rows.relation} k
        CROSS JOIN LATERAL (
          SELECT ctid FROM messages WHERE ${hasKey(MESSAGE_KEY)} AND ${STILL_LEASED} FOR UPDATE
        ) row
      ) removed
      WHERE messages.ctid = removed.ctid
      RETURNING 1`,
    last: rows.last,
    valuesOf: ({ removed }) => rows.values(removed),
  };
}
