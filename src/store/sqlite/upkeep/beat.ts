import type { StatementSync } from "node:sqlite";

import type { ClockTime } from "../../../platform/clock.ts";
import { nodesIn } from "../../records/rows.ts";
import type { NodeFacts } from "../../node-facts.ts";
import type { Beat } from "../../store.ts";
import type { Database } from "../thread/connection.ts";
import { schemaInfo } from "./migrate.ts";

/** Keeps the rows of the nodes. On SQLite there is one at a time, but the rules are the same. */
export class BeatNode {
  readonly #database: Database;
  readonly #renew: StatementSync;
  readonly #join: StatementSync;
  readonly #nodes: StatementSync;
  readonly #recordLeaving: StatementSync;
  readonly #leave: StatementSync;
  readonly #joined = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
    this.#renew = database.prepare(
      "UPDATE nodes SET beats = beats + 1, renewed_at = ?, is_paused = ?, facts = ? WHERE node_id = ?",
    );
    this.#join = database.prepare(
      "INSERT INTO nodes (node_id, beats, renewed_at, is_paused, facts) VALUES (?, 1, ?, ?, ?)",
    );
    this.#nodes = database.prepare(
      "SELECT node_id, beats, renewed_at, facts, (SELECT left_at FROM service) AS left_at FROM nodes",
    );
    this.#recordLeaving = database.prepare(
      "UPDATE service SET left_at = max(left_at, (SELECT renewed_at FROM nodes WHERE node_id = ?1)) WHERE EXISTS (SELECT 1 FROM nodes WHERE node_id = ?1)",
    );
    // messages_leased
    this.#leave = database.prepare(
      `DELETE FROM nodes WHERE node_id = ?1
       AND NOT EXISTS (SELECT 1 FROM messages WHERE phase = 1 AND node_id = ?1)`,
    );
  }

  beat(nodeId: string, { now, aheadMs }: ClockTime, isPaused: boolean, facts: NodeFacts): Beat {
    const dueAt = now + aheadMs;
    const row = [dueAt, Number(isPaused), JSON.stringify(facts)] as const;
    const renewed = Number(this.#renew.run(...row, nodeId).changes) === 1;
    // A node that has joined and whose row is gone was declared dead: it must join under a new id.
    const known = renewed || !this.#joined.has(nodeId);
    if (!renewed && known) this.#join.run(nodeId, ...row);
    this.#joined.add(nodeId);
    const { oldestProgram } = schemaInfo(this.#database);
    return { now, known, oldestProgram, ...nodesIn(this.#nodes.all(), nodeId) };
  }

  leave(nodeId: string): void {
    this.#recordLeaving.run(nodeId);
    this.#leave.run(nodeId);
  }
}
