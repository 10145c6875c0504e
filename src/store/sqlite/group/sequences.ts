import type { StatementSync } from "node:sqlite";

import type { Database } from "../thread/connection.ts";

export type SequenceName = "log" | "dead-letter" | "position";

/** Numbers that only grow. Counted in memory by the one writer, stored with each transaction. */
export class Sequences {
  readonly #values = new Map<SequenceName, number>();
  readonly #stored = new Map<SequenceName, number>();
  readonly #store: StatementSync;

  constructor(database: Database) {
    this.#store = database.prepare("UPDATE sequences SET value = ? WHERE name = ?");
    for (const row of database.prepare("SELECT name, value FROM sequences").all()) {
      const name = row["name"] as SequenceName;
      this.#values.set(name, row["value"] as number);
      this.#stored.set(name, row["value"] as number);
    }
  }

  next(name: SequenceName, by = 1): number {
    const value = (this.#values.get(name) ?? 0) + by;
    this.#values.set(name, value);
    return value;
  }

  /** Called last in every transaction. A rollback leaves a gap, which is harmless. */
  save(): void {
    for (const [name, value] of this.#values) {
      if (this.#stored.get(name) === value) continue;
      this.#store.run(value, name);
      this.#stored.set(name, value);
    }
  }
}
