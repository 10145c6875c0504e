import { DatabaseSync, type StatementSync } from "node:sqlite";

/** The remaining work of a service. */
export interface PendingWork {
  /** Attempts in progress. */
  readonly underWay: number;
  /** When the next work is due; null when none is planned. */
  readonly nextAt: number | null;
}

/** Reads the planned work from the database of a running service. */
export class Agenda {
  readonly #database: DatabaseSync;
  readonly #statement: StatementSync;

  constructor(path: string) {
    this.#database = new DatabaseSync(path, { readOnly: true });
    this.#statement = this.#database.prepare(SQL);
  }

  pending(): PendingWork {
    return this.#statement.get() as unknown as PendingWork;
  }

  close(): void {
    this.#database.close();
  }
}

const SQL = `SELECT
  (SELECT count(*) FROM messages WHERE phase = 1) AS underWay,
  (SELECT min(at) FROM (
    SELECT min(next_at) AS at FROM lines WHERE next_at IS NOT NULL
    UNION ALL SELECT min(next_at) FROM schedules WHERE next_at IS NOT NULL
    UNION ALL SELECT min(deadline_at) FROM waiters)) AS nextAt`;
