import { escapeIdentifier } from "pg";

import type { Connections } from "../driver/connection.ts";

/**
 * The server plans by how many rows it last found in a table, and looks once a minute. Rows of
 * messages live for seconds: where it has looked between two of them it takes the table for empty,
 * and may read all of it for each key that it is asked for, unless the statement leaves it no choice
 * (rows-by-key.ts). So a table that has grown past what it believes is counted again, soon.
 */
export class TableSizes {
  readonly #connections: Connections;
  #underWay: Promise<void> | null = null;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** Never fails; what it misses comes with the next one. */
  renew(): Promise<void> {
    this.#underWay ??= this.#renew().finally(() => {
      this.#underWay = null;
    });
    return this.#underWay;
  }

  /** Resolves when nothing is under way. */
  async drain(): Promise<void> {
    await this.#underWay;
  }

  async #renew(): Promise<void> {
    const outgrown = await this.#outgrown().catch(() => []);
    for (const table of outgrown) await this.#count(table).catch(leaveIt);
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
      PATIENCE,
    );
  }
}

/** Somebody else counts it, or nobody can be asked. The server does it by itself too, if later. */
function leaveIt(): void {}

/** Fewer are read as fast as one. */
const ROWS_MIN = 20;
const GROWTH = 4;
/** Shorter than what makes the server give up its own cleaning for whoever waits. */
const PATIENCE = { lockTimeoutMs: 100 };

// A table that was never counted is planned for by its size, which is as it should be.
const OUTGROWN = `SELECT relname AS name FROM pg_class
  WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND reltuples >= 0
    AND pg_stat_get_live_tuples(oid) >= $1::int + $2::int * reltuples`;
