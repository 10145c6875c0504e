import type { StatementSync } from "node:sqlite";
import { lineKind, type LineKey, type LineSnapshot } from "../../../core/model/line/line.ts";
import { toLineSnapshot } from "../../records/rows.ts";
import { HELD_SQL } from "../claim/claim-sql.ts";
import { type Database, prepareAll } from "../thread/connection.ts";

/** Reads the lines from which a group may lease at once. */
export class LineSnapshots {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  /** Null when the account is halted or has a limit, which only claims handle. */
  read({ accountId, line }: LineKey): LineSnapshot | null {
    const statement = lineKind(line) === "queue" ? this.#sql.queue : this.#sql.key;
    const row = statement.get(accountId, line);
    return row ? toLineSnapshot(row, { accountId, line }) : null;
  }
}

// messages_waiting
const snapshotQuery = (
  held: string,
): string => `SELECT m.parallelism, m.rate, m.period_ms, m.paused,
    m.pinned_parallelism, m.pinned_rate, m.created_at, m.updated_at,
    l.next_at, l.window_started_at, l.window_starts, l.emptied, (${held}) AS held,
    (SELECT ready_at FROM messages
     WHERE account_id = ?1 AND line = ?2 AND phase = 0 AND suspect = 0
     ORDER BY ready_at LIMIT 1) AS next_ready_at
  FROM (SELECT 1)
  LEFT JOIN line_limits AS m ON m.account_id = ?1 AND m.line = ?2
  LEFT JOIN lines AS l ON l.account_id = ?1 AND l.line = ?2
  WHERE NOT EXISTS (SELECT 1 FROM accounts
    WHERE account_id = ?1 AND (halted = 1 OR parallelism_max IS NOT NULL))`;

const SQL = { queue: snapshotQuery(HELD_SQL.queue), key: snapshotQuery(HELD_SQL.key) } as const;
