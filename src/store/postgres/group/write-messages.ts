import type { DailyTally } from "../../group/daily-tally.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { FACTS, LOG_ENTRIES, MESSAGES } from "../../records/message-tables.ts";
import { allColumns, type Table } from "../../records/table.ts";
import { SentRows } from "./sent-rows.ts";
import { addSql, removeSql } from "./table-statements.ts";

/** All that a group writes of messages, in one statement. */
export interface MessageWrite {
  readonly text: string;
  readonly values: readonly unknown[];
}

export function messageWrite(
  { added, inserted, ended, steps }: WorkingSet,
  tallies: readonly DailyTally[],
  writer: string,
): MessageWrite | null {
  if (added.length + inserted.size + ended.size + steps.length + tallies.length === 0) return null;
  const values = [
    ...FACT_ROWS.values(added),
    ...MESSAGE_ROWS.values(inserted.values()),
    ...ENDED_KEYS.values(ended.values()),
    ...TALLY_ROWS.values(tallies),
    ...LOG_ROWS.values(steps),
    writer,
  ];
  return { text: SQL, values };
}

/** Besides these a row has its `writer`. */
const DAILY_COUNTS: Table<DailyTally> = {
  name: "daily_counts AS c",
  key: [
    ["account_id", "text", ({ accountId }) => accountId],
    ["day", "int", ({ day }) => day],
  ],
  columns: [
    ["messages", "bigint", ({ messages }) => messages],
    ["delivered", "bigint", ({ delivered }) => delivered],
    ["failed", "bigint", ({ failed }) => failed],
  ],
};

const FACT_ROWS = new SentRows(allColumns(FACTS));
const MESSAGE_ROWS = new SentRows(allColumns(MESSAGES), FACT_ROWS.last);
const ENDED_KEYS = new SentRows(MESSAGES.key, MESSAGE_ROWS.last);
const TALLY_ROWS = new SentRows(allColumns(DAILY_COUNTS), ENDED_KEYS.last);
const LOG_ROWS = new SentRows(allColumns(LOG_ENTRIES), TALLY_ROWS.last);
const WRITER = `$${LOG_ROWS.last + 1}::text`;

const POSITION = "CASE WHEN root_id = message_id THEN nextval('queue_positions') END";

// The statement may write all these tables at once, since none of the writes reads another's
// result.
const SQL = `WITH new_facts AS (
    ${addSql(FACTS, FACT_ROWS)}
  ), new_messages AS (
    ${addSql(MESSAGES, MESSAGE_ROWS, { position: POSITION })}
  ), ended AS (
    ${removeSql(MESSAGES, ENDED_KEYS)}
  ), counted AS (
    ${addSql(DAILY_COUNTS, TALLY_ROWS, { writer: WRITER })}
    ON CONFLICT (account_id, day, writer) DO UPDATE SET
      messages = c.messages + excluded.messages, delivered = c.delivered + excluded.delivered,
      failed = c.failed + excluded.failed
  )
  ${addSql(LOG_ENTRIES, LOG_ROWS)}`;
