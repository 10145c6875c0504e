import type { NewMessage } from "../../../core/change.ts";
import type { MessageKey } from "../../../core/model/message/message.ts";
import { isSuspect, type MessageState } from "../../../core/model/message/message-state.ts";
import type { DailyTally } from "../../group/daily-tally.ts";
import type { LogStep } from "../../records/log-step.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import {
  columnsOf,
  packed,
  rowsOf,
  orConstant,
  constantColumn,
  nullableColumn,
  storable,
} from "./columns.ts";
import { MESSAGE_KEY, rowsByKey } from "./rows-by-key.ts";

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
    ...factColumns(added),
    ...stateColumns([...inserted.values()]),
    ...keyColumns([...ended.values()]),
    ...tallyColumns(tallies),
    writer,
    ...stepColumns(steps),
  ];
  return { text: SQL, values };
}

function factColumns(added: readonly NewMessage[]): unknown[] {
  const { bytes, starts, lengths } = packed(added.flatMap(({ facts, body }) => [facts, body]));
  return [
    constantColumn(added, ({ state }) => state.accountId),
    ...columnsOf(
      added,
      ({ state }) => state.messageId,
      ({ createdAt }) => createdAt,
    ),
    bytes,
    added.map((_, index) => starts[2 * index]),
    added.map((_, index) => lengths[2 * index]),
    added.map((_, index) => lengths[2 * index + 1]),
  ];
}

function stateColumns(states: readonly MessageState[]): unknown[] {
  return [
    constantColumn(states, (state) => state.accountId),
    states.map((state) => state.messageId),
    constantColumn(states, (state) => (state.phase === "active" ? 1 : 0)),
    constantColumn(states, (state) => state.attempts),
    constantColumn(states, (state) => state.readyAt),
    constantColumn(states, (state) => state.line),
    nullableColumn(states, (state) => state.lineAfter),
    constantColumn(states, (state) => state.fence),
    nullableColumn(states, (state) => state.nodeId),
    nullableColumn(states, (state) => state.leasedAt),
    constantColumn(states, (state) => state.losses),
    constantColumn(states, (state) => isSuspect(state)),
    constantColumn(states, (state) => state.cancelRequested),
    constantColumn(states, (state) => state.host),
    constantColumn(states, (state) => state.bytes),
    nullableColumn(states, (state) => state.rootId),
    nullableColumn(states, (state) => state.queue),
    nullableColumn(states, (state) => state.run?.runId ?? null),
    nullableColumn(states, (state) => state.run?.createdAt ?? null),
  ];
}

function keyColumns(keys: readonly MessageKey[]): unknown[] {
  return [
    constantColumn(keys, ({ accountId }) => accountId),
    keys.map(({ messageId }) => messageId),
  ];
}

function tallyColumns(tallies: readonly DailyTally[]): unknown[] {
  return columnsOf(
    tallies,
    ({ accountId }) => accountId,
    ({ day }) => day,
    ({ messages }) => messages,
    ({ delivered }) => delivered,
    ({ failed }) => failed,
  );
}

function stepColumns(steps: readonly LogStep[]): unknown[] {
  const parts = steps.flatMap(({ attempt }) => [attempt?.headers ?? "", attempt?.body ?? NOTHING]);
  const { bytes, starts, lengths } = packed(parts);
  return [
    constantColumn(steps, ({ entry }) => entry.accountId),
    steps.map(({ entry }) => entry.messageId),
    constantColumn(steps, ({ entry }) => entry.at),
    constantColumn(steps, ({ entry }) => entry.state),
    nullableColumn(steps, ({ next }) => next?.state ?? null),
    nullableColumn(steps, ({ entry, next }) => entry.attempt ?? next?.attempt ?? null),
    nullableColumn(steps, ({ entry }) => entry.status ?? null),
    nullableColumn(steps, ({ entry }) => storable(entry.error)),
    nullableColumn(steps, ({ entry, next }) => entry.nextAt ?? next?.nextAt ?? null),
    nullableColumn(steps, ({ attempt }) => attempt?.startedAt ?? null),
    nullableColumn(steps, ({ attempt }) => attempt?.endedAt ?? null),
    bytes,
    nullableColumn(steps, ({ attempt }, index) => (attempt ? starts[2 * index] : null)),
    nullableColumn(steps, ({ attempt }, index) => (attempt ? lengths[2 * index] : null)),
    nullableColumn(steps, ({ attempt }, index) => (attempt ? lengths[2 * index + 1] : null)),
  ];
}

const NOTHING = new Uint8Array(0);

const ENDED = `(SELECT ${orConstant("account_id", 27, "text")} AS account_id, message_id
  FROM ${rowsOf("account_id $27 text", "message_id $28 text")} e) k`;

// The statement may write all these tables at once, since none of the writes reads another's
// result.
const SQL = `WITH new_facts AS (
    INSERT INTO facts (account_id, message_id, created_at, facts, body)
    SELECT ${orConstant("account_id", 1, "text")}, message_id, created_at,
      convert_from(substr($4::bytea, start, facts_length), 'UTF8'),
      substr($4::bytea, start + facts_length, body_length)
    FROM ${rowsOf("account_id $1 text", "message_id $2 text", "created_at $3 bigint", "start $5 int", "facts_length $6 int", "body_length $7 int")} f
  ), new_messages AS (
    INSERT INTO messages (account_id, message_id, phase, attempts, ready_at, line, line_after,
      position, host, bytes, fence, node_id, leased_at, losses, suspect, cancel_requested, root_id,
      queue, run_id, run_created_at)
    SELECT ${orConstant("account_id", 8, "text")}, message_id, ${orConstant("phase", 10, "smallint")},
      ${orConstant("attempts", 11, "int")}, ${orConstant("ready_at", 12, "bigint")},
      ${orConstant("line", 13, "text")}, line_after,
      CASE WHEN root_id = message_id THEN nextval('queue_positions') END,
      ${orConstant("host", 21, "text")}, ${orConstant("bytes", 22, "int")},
      ${orConstant("fence", 15, "bigint")}, node_id, leased_at, ${orConstant("losses", 18, "int")},
      ${orConstant("suspect", 19, "boolean")}, ${orConstant("cancel_requested", 20, "boolean")}, root_id,
      queue, run_id, run_created_at
    FROM ${rowsOf("account_id $8 text", "message_id $9 text", "phase $10 smallint", "attempts $11 int", "ready_at $12 bigint", "line $13 text", "line_after $14 text", "fence $15 bigint", "node_id $16 text", "leased_at $17 bigint", "losses $18 int", "suspect $19 boolean", "cancel_requested $20 boolean", "host $21 text", "bytes $22 int", "root_id $23 text", "queue $24 text", "run_id $25 text", "run_created_at $26 bigint")} m
  ), ended AS (
    DELETE FROM messages USING ${rowsByKey("messages", MESSAGE_KEY, ENDED)} m
    WHERE messages.ctid = m.ctid
  ), counted AS (
    INSERT INTO daily_counts AS c (account_id, day, writer, messages, delivered, failed)
    SELECT t.account_id, t.day, $34::text, t.messages, t.delivered, t.failed
    FROM ${rowsOf("account_id $29 text", "day $30 int", "messages $31 bigint", "delivered $32 bigint", "failed $33 bigint")} t
    ON CONFLICT (account_id, day, writer) DO UPDATE SET
      messages = c.messages + excluded.messages, delivered = c.delivered + excluded.delivered,
      failed = c.failed + excluded.failed
  )
  INSERT INTO log_entries (account_id, message_id, at, state, next_state, attempt, status, error,
    next_at, started_at, ended_at, headers, body)
  SELECT ${orConstant("account_id", 35, "text")}, message_id, ${orConstant("at", 37, "bigint")},
    ${orConstant("state", 38, "text")}, next_state, attempt, status, error, next_at, started_at,
    ended_at, convert_from(substr($46::bytea, start, headers_length), 'UTF8'),
    substr($46::bytea, start + headers_length, body_length)
  FROM ${rowsOf("account_id $35 text", "message_id $36 text", "at $37 bigint", "state $38 text", "next_state $39 text", "attempt $40 int", "status $41 int", "error $42 text", "next_at $43 bigint", "started_at $44 bigint", "ended_at $45 bigint", "start $47 int", "headers_length $48 int", "body_length $49 int")} s`;
