import { dayOf } from "../../core/model/daily-count.ts";
import type { Row } from "../rows.ts";
import type { Swept, SweepRequest } from "../store.ts";
import { columnsOf } from "./columns.ts";
import type { Connections, Session } from "./connection.ts";
import { removeDailyCounts } from "./daily-counts.ts";

interface Place {
  readonly createdAt: number;
  readonly accountId: string;
  readonly messageId: string;
}

const BEGINNING: Place = { createdAt: -1, accountId: "", messageId: "" };

/** Removes what is too old, a bounded page to a call. It keeps its place between calls. */
export class Sweep {
  readonly #connections: Connections;
  #after = BEGINNING;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  async sweep(request: SweepRequest): Promise<Swept> {
    const { now, deadLettersBefore, pageMax } = request;
    const swept = await this.#connections.transaction(async (session) => {
      const [keys, letters, days] = await Promise.all([
        session.change(SQL.deduplications, [now, pageMax]),
        session.change(SQL.deadLetters, [deadLettersBefore, pageMax]),
        removeDailyCounts(session, dayOf(request.countsBefore), pageMax),
      ]);
      const facts = await sweepFacts(session, request, this.#after);
      return { keys, letters, days, ...facts };
    });
    const more = swept.looked === pageMax;
    // What was passed by may have ended since: the next round begins anew.
    this.#after = more ? swept.after : BEGINNING;
    return {
      removed: swept.keys + swept.letters + swept.days + swept.removed,
      more: more || [swept.keys, swept.letters, swept.days].includes(pageMax),
    };
  }
}

/** Old messages in the order they were made. Those that live or are dead letters are passed by. */
async function sweepFacts(
  session: Session,
  { endedBefore, pageMax }: SweepRequest,
  after: Place,
): Promise<{ looked: number; removed: number; after: Place }> {
  const { createdAt, accountId, messageId } = after;
  const values = [createdAt, accountId, messageId, endedBefore, pageMax];
  const rows = await session.query(SQL.oldFacts, values);
  const ended = rows.filter((row) => row["kept"] === false);
  if (ended.length > 0) {
    const keys = columnsOf(
      ended,
      (row) => row["account_id"],
      (row) => row["message_id"],
    );
    await Promise.all([
      session.query(removeFrom("log_entries"), keys),
      session.query(removeFrom("attempts"), keys),
      session.query(removeFrom("facts"), keys),
    ]);
  }
  const last = rows.at(-1);
  return { looked: rows.length, removed: ended.length, after: last ? placeOf(last) : after };
}

function placeOf(row: Row): Place {
  return {
    createdAt: row["created_at"] as number,
    accountId: row["account_id"] as string,
    messageId: row["message_id"] as string,
  };
}

const removeFrom = (table: "log_entries" | "attempts" | "facts"): string =>
  `DELETE FROM ${table} USING unnest($1::text[], $2::text[]) AS k (account_id, message_id)
   WHERE ${table}.account_id = k.account_id AND ${table}.message_id = k.message_id`;

const SQL = {
  deduplications: `DELETE FROM deduplications WHERE (account_id, key) IN (
    SELECT account_id, key FROM deduplications WHERE expires_at <= $1
    ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
  deadLetters: `DELETE FROM dead_letters WHERE (account_id, died_at, number) IN (
    SELECT account_id, died_at, number FROM dead_letters WHERE died_at < $1
    ORDER BY died_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
  // facts_age
  oldFacts: `SELECT f.created_at, f.account_id, f.message_id,
      EXISTS (SELECT 1 FROM messages m
        WHERE m.account_id = f.account_id AND m.message_id = f.message_id)
      OR EXISTS (SELECT 1 FROM dead_letters d
        WHERE d.account_id = f.account_id AND d.message_id = f.message_id) AS kept
    FROM (
      SELECT created_at, account_id, message_id FROM facts
      WHERE (created_at, account_id, message_id) > ($1, $2, $3) AND created_at < $4
      ORDER BY created_at, account_id, message_id LIMIT $5
    ) f
    ORDER BY f.created_at, f.account_id, f.message_id`,
} as const;
