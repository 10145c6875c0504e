import type { StatementSync } from "node:sqlite";

import type { Beat } from "../store.ts";
import type { Database } from "./connection.ts";
import { schemaInfo } from "./migrate.ts";

/** Keeps the rows of the nodes. On SQLite there is one at a time, but the rules are the same. */
export class BeatNode {
  readonly #database: Database;
  readonly #renew: StatementSync;
  readonly #join: StatementSync;
  readonly #nodes: StatementSync;
  readonly #joined = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
    this.#renew = database.prepare(
      "UPDATE nodes SET beats = beats + 1, renewed_at = ?, is_paused = ? WHERE node_id = ?",
    );
    this.#join = database.prepare(
      "INSERT INTO nodes (node_id, beats, renewed_at, is_paused) VALUES (?, 1, ?, ?)",
    );
    this.#nodes = database.prepare("SELECT node_id, beats FROM nodes");
  }

  beat(nodeId: string, now: number, isPaused: boolean): Beat {
    const paused = Number(isPaused);
    const renewed = Number(this.#renew.run(now, paused, nodeId).changes) === 1;
    // A node that has joined and whose row is gone was declared dead: it must join under a new id.
    const known = renewed || !this.#joined.has(nodeId);
    if (!renewed && known) this.#join.run(nodeId, now, paused);
    this.#joined.add(nodeId);
    const nodes = this.#nodes.all().map((row) => ({
      nodeId: row["node_id"] as string,
      beats: row["beats"] as number,
    }));
    return { now, nodes, known, oldestProgram: schemaInfo(this.#database).oldestProgram };
  }
}
