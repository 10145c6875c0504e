import { DatabaseSync, type StatementSync } from "node:sqlite";

/** What a service still has to do. */
export interface Stand {
  /** Attempts that are under way. */
  readonly underWay: number;
  /** When the next thing is due; null when nothing ever will be. */
  readonly nextAt: number | null;
}

/** Reads out of the database of a running service what it is about to do. */
export class Agenda {
  readonly #database: DatabaseSync;
  readonly #stand: StatementSync;

  constructor(path: string) {
    this.#database = new DatabaseSync(path, { readOnly: true });
    this.#stand = this.#database.prepare(SQL);
  }

  stand(): Stand {
    return this.#stand.get() as unknown as Stand;
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
