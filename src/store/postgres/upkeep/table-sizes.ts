import { escapeIdentifier } from "pg";

import type { Connections } from "../driver/connection.ts";

/**
 * Keeps the server's row estimates fresh. It plans by its last count of a table, renewed once a
 * minute, and rows of messages live for seconds: counted at an idle moment, a table is taken for
 * empty, and the server may read all of it for each key, unless the statement prevents that
 * (rows-by-key.ts). So a table that has outgrown its estimate is analyzed soon.
 */
export class TableSizes {
  readonly #connections: Connections;
  #underWay: Promise<void> | null = null;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** Never fails; a table that it misses is found by the next call. */
  renew(): Promise<void> {
    this.#underWay ??= this.#renew().finally(() => {
      this.#underWay = null;
    });
    return this.#underWay;
  }

  async drain(): Promise<void> {
    await this.#underWay;
  }

  async #renew(): Promise<void> {
    const outgrown = await this.#outgrown().catch(() => []);
    for (const table of outgrown) await this.#count(table).catch(ignore);
  }

  async #outgrown(): Promise<string[]> {
    const rows = await this.#connections.read((session) =>
      session.query(OUTGROWN, [ROWS_MIN, GROWTH]),
    );
    return rows.map((row) => row["name"] as string);
  }

  async #count(table: string): Promise<void> {
    await this.#connections.transaction(
      (session) => session.script(`ANALYZE ${escapeIdentifier(table)}`),
      TIMEOUTS,
    );
  }
}

/** Another session analyzes the table, or the server does not answer; autovacuum does it later. */
function ignore(): void {}

/** A scan of fewer rows is as fast as a lookup. */
const ROWS_MIN = 20;
const GROWTH = 4;
/**
 * Shorter than deadlock_timeout, after which the server would cancel its own vacuum for this
 * session.
 */
const TIMEOUTS = { lockTimeoutMs: 100 };

// A table that was never analyzed is planned for by its file size, which is right.
const OUTGROWN = `SELECT relname AS name FROM pg_class
  WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND reltuples >= 0
    AND pg_stat_get_live_tuples(oid) >= $1::int + $2::int * reltuples`;
