import type { DeadLetterKey } from "../../../core/model/message/dead-letter.ts";
import { decodeFacts } from "../../../core/model/message/facts.ts";
import type { LogState } from "../../../core/model/message/log-entry.ts";
import type { Message, MessageKey } from "../../../core/model/message/message.ts";
import type { Lease } from "../../../core/model/message/message-state.ts";
import type { ClaimedLease } from "../../claim-budget.ts";
import {
  type Counts,
  type StoredDeadLetter,
  type StoredMessage,
  WHOLE_BODY_BYTES,
} from "../../reader.ts";
import { ENTRY_COLUMNS, toAttemptRecord, toLogEntries } from "../../records/log-step.ts";
import { type Row, toDeadLetter, toMessageState } from "../../records/rows.ts";
import type { LeasedMessage } from "../../store.ts";
import { pairKey } from "../../group/row-keys.ts";
import { columnsOf } from "../group/columns.ts";
import type { Connections } from "../driver/connection.ts";
import type { Session } from "../driver/conversation.ts";
import { readSent } from "./read-runs.ts";

/** Reads single records, each on one snapshot. */
export class PostgresRead {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  message(
    { accountId, messageId }: MessageKey,
    bodyBytesMax = WHOLE_BODY_BYTES,
  ): Promise<StoredMessage | null> {
    const key = [accountId, messageId];
    return this.#connections.read(async (session) => {
      const [[facts], [state], [entry], [letter]] = await Promise.all([
        session.query(SQL.facts, [...key, bodyBytesMax]),
        session.query(SQL.state, key),
        session.query(SQL.lastEntry, key),
        session.query(SQL.letterOf, key),
      ]);
      if (facts === undefined) return null;
      return {
        ...toMessageAndBody(facts),
        state: state ? toMessageState(state) : null,
        lastEntry: entry ? (toLogEntries(entry).at(-1)?.entry ?? null) : null,
        deadLetter: letter ? toDeadLetter(letter) : null,
      };
    });
  }

  async lastStates(accountId: string, messageIds: readonly string[]): Promise<(LogState | null)[]> {
    const rows = await this.#query(SQL.lastStates, [accountId, messageIds]);
    const states = new Map(rows.map((row) => [row["message_id"], row["state"] as LogState]));
    return messageIds.map((messageId) => states.get(messageId) ?? null);
  }

  async bodyPart(
    { accountId, messageId }: MessageKey,
    from: number,
    count: number,
  ): Promise<Uint8Array | null> {
    const [row] = await this.#query(SQL.bodyPart, [accountId, messageId, from + 1, count]);
    return row === undefined ? null : (row["body"] as Uint8Array);
  }

  deadLetter(key: DeadLetterKey, bodyBytesMax?: number): Promise<StoredDeadLetter | null> {
    return this.#connections.read((session) => readDeadLetter(session, key, bodyBytesMax));
  }

  async leases(nodeId: string, leasedBefore: number): Promise<Lease[]> {
    const rows = await this.#query(SQL.leases, [nodeId, leasedBefore]);
    return rows.map((row) => ({
      accountId: row["account_id"] as string,
      messageId: row["message_id"] as string,
      fence: row["fence"] as number,
    }));
  }

  async underWay(accountId: string): Promise<number> {
    const [row] = await this.#query(SQL.underWay, [accountId]);
    return row?.["count"] as number;
  }

  async counts(): Promise<Counts> {
    const [row] = await this.#query(SQL.counts, []);
    const active = row?.["active"] as number;
    return { waiting: (row?.["all"] as number) - active, active };
  }

  /** Leased messages with all that is needed to send them. */
  async leased(claimed: readonly ClaimedLease[]): Promise<LeasedMessage[]> {
    if (claimed.length === 0) return [];
    const keys = columnsOf(
      claimed,
      ({ accountId }) => accountId,
      ({ messageId }) => messageId,
    );
    return this.#connections.read(async (session) => {
      const rows = await session.query(SQL.manyFacts, keys);
      const facts = new Map(
        rows.map((row) => [pairKey(row["account_id"] as string, row["message_id"] as string), row]),
      );
      const read = claimed.flatMap(({ accountId, messageId, fence, host, attempts }) => {
        const row = facts.get(pairKey(accountId, messageId));
        if (row === undefined) return [];
        const lease = { accountId, messageId, fence };
        return [{ lease, ...toMessageAndBody(row), host, attempts }];
      });
      return readSent(session, read);
    });
  }

  #query(text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.#connections.read((session) => session.query(text, values));
  }
}

export async function readDeadLetter(
  session: Session,
  { accountId, diedAt, number }: DeadLetterKey,
  bodyBytesMax = WHOLE_BODY_BYTES,
): Promise<StoredDeadLetter | null> {
  const [row] = await session.query(SQL.deadLetter, [accountId, diedAt, number]);
  if (row === undefined) return null;
  const deadLetter = toDeadLetter(row);
  const { messageId } = deadLetter;
  const [[facts], [attempt]] = await Promise.all([
    session.query(SQL.facts, [accountId, messageId, bodyBytesMax]),
    session.query(SQL.attempt, [accountId, messageId, deadLetter.attempt]),
  ]);
  if (facts === undefined) return null;
  return {
    deadLetter,
    ...toMessageAndBody(facts),
    attempt: attempt ? toAttemptRecord(attempt) : null,
  };
}

function toMessageAndBody(row: Row): { message: Message; body: Uint8Array } {
  return { message: decodeFacts(row["facts"] as string), body: row["body"] as Uint8Array };
}

const SQL = {
  facts: `SELECT facts, substr(body, 1, $3) AS body FROM facts
    WHERE account_id = $1 AND message_id = $2`,
  bodyPart: `SELECT substr(body, $3, $4) AS body FROM facts
    WHERE account_id = $1 AND message_id = $2`,
  manyFacts: `SELECT f.* FROM unnest($1::text[], $2::text[]) AS k (account_id, message_id)
    CROSS JOIN LATERAL (
      SELECT account_id, message_id, facts, body FROM facts
      WHERE account_id = k.account_id AND message_id = k.message_id OFFSET 0
    ) f`,
  state: "SELECT * FROM messages WHERE account_id = $1 AND message_id = $2",
  // log_entries_message
  lastEntry: `SELECT ${ENTRY_COLUMNS} FROM log_entries e WHERE account_id = $1 AND message_id = $2
    ORDER BY number DESC LIMIT 1`,
  lastStates: `SELECT k.message_id, e.state FROM unnest($2::text[]) AS k (message_id)
    CROSS JOIN LATERAL (
      SELECT coalesce(next_state, state) AS state FROM log_entries
      WHERE account_id = $1 AND message_id = k.message_id
      ORDER BY number DESC LIMIT 1) AS e`,
  deadLetter: "SELECT * FROM dead_letters WHERE account_id = $1 AND died_at = $2 AND number = $3",
  // dead_letters_message
  letterOf: "SELECT * FROM dead_letters WHERE account_id = $1 AND message_id = $2",
  attempt: `SELECT * FROM log_entries WHERE account_id = $1 AND message_id = $2 AND attempt = $3
    AND started_at IS NOT NULL`,
  // messages_leased
  leases: `SELECT account_id, message_id, fence FROM messages
    WHERE phase = 1 AND node_id = $1 AND leased_at < $2`,
  // messages_leased: at most as many rows as there are slots, over all accounts.
  underWay: `SELECT count(*) AS count FROM messages
    WHERE node_id IS NOT NULL AND phase = 1 AND account_id = $1`,
  counts: `SELECT (SELECT count(*) FROM messages) AS all,
    (SELECT count(*) FROM messages WHERE node_id IS NOT NULL) AS active`,
} as const;
