import type { StatementSync } from "node:sqlite";

import type { ClockTime } from "../../../platform/clock.ts";
import type { Row } from "../../records/rows.ts";
import type { TakeOverRequest } from "../../store.ts";
import type { StatsTally } from "../../group/stats-tally.ts";
import { LEASES_TAKEN_MAX, TakenOver, takePage } from "../../upkeep/take-over.ts";
import { type Database, prepareAll, transaction } from "../thread/connection.ts";
import type { Write } from "../group/write.ts";

/** Takes the leases of dead nodes, one page for each transaction. */
export class TakeOverLeases {
  readonly #database: Database;
  readonly #write: Write;
  readonly #stats: StatsTally;
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database, write: Write, stats: StatsTally) {
    this.#database = database;
    this.#write = write;
    this.#stats = stats;
    this.#sql = prepareAll(database, SQL);
  }

  takeOver({ nodeId, from, ...time }: TakeOverRequest): TakenOver {
    const taken = new TakenOver();
    if (from === "others") {
      this.#takePages(() => this.#sql.leasedByOthers.all(nodeId), nodeId, time, taken);
      this.#sql.removeOthers.run(nodeId);
      return taken;
    }
    for (const dead of from) {
      if (this.#sql.hasBeaten.get(dead.nodeId, dead.beats) !== undefined) continue;
      this.#sql.removeNode.run(dead.nodeId);
      this.#takePages(() => this.#sql.leasedBy.all(dead.nodeId), nodeId, time, taken);
    }
    return taken;
  }

  #takePages(read: () => Row[], nodeId: string, time: ClockTime, taken: TakenOver): void {
    let found = 0;
    do {
      const page = transaction(this.#database, () => {
        const taking = takePage(read(), nodeId, time);
        this.#write.write(taking.rows, time.now + time.aheadMs);
        return taking;
      });
      taken.add(page);
      this.#stats.add(page.rows);
      found = page.lost.length;
    } while (found === LEASES_TAKEN_MAX);
  }
}

const SQL = {
  // messages_leased, both ways
  leasedByOthers: `SELECT * FROM messages
    WHERE phase = 1 AND (node_id < ?1 OR node_id > ?1) LIMIT ${LEASES_TAKEN_MAX}`,
  leasedBy: `SELECT * FROM messages WHERE phase = 1 AND node_id = ? LIMIT ${LEASES_TAKEN_MAX}`,
  hasBeaten: "SELECT 1 AS found FROM nodes WHERE node_id = ? AND beats > ?",
  removeNode: "DELETE FROM nodes WHERE node_id = ?",
  removeOthers: "DELETE FROM nodes WHERE node_id <> ?",
} as const;
