import type { SQLInputValue, StatementSync } from "node:sqlite";

import type { Database } from "../thread/connection.ts";

/** The values of a row, in the order of its columns. */
export type NewRow = readonly SQLInputValue[];

/** Inserts many rows with one statement: running one costs about as much as inserting a row. */
export class AddRows {
  readonly #one: StatementSync;
  readonly #many: StatementSync;

  /** `into` is a table and its columns, such as `days (account_id, day)`. */
  constructor(database: Database, into: string) {
    const row = `(${into.split(",").fill("?").join(", ")})`;
    const rows = Array<string>(ROWS_AT_ONCE).fill(row).join(", ");
    this.#one = database.prepare(`INSERT INTO ${into} VALUES ${row}`);
    this.#many = database.prepare(`INSERT INTO ${into} VALUES ${rows}`);
  }

  add(rows: readonly NewRow[]): void {
    let index = 0;
    for (; index + ROWS_AT_ONCE <= rows.length; index += ROWS_AT_ONCE) {
      this.#many.run(...rows.slice(index, index + ROWS_AT_ONCE).flat());
    }
    for (; index < rows.length; index++) this.#one.run(...rows[index]!);
  }
}

const ROWS_AT_ONCE = 16;
