import type { StatementSync } from "node:sqlite";

import type { MessageState } from "../../../core/model/message/message-state.ts";
import { loseLease } from "../../../core/rules/message/lease.ts";
import type { ClockTime } from "../../../platform/clock.ts";
import { toMessageState } from "../../records/rows.ts";
import type { TakeOverRequest } from "../../store.ts";
import type { ClaimedLease } from "../../claim-budget.ts";
import type { StatsTally } from "../../group/stats-tally.ts";
import { WorkingSet } from "../../group/working-set.ts";
import { type Database, transaction } from "../thread/connection.ts";
import type { Write } from "../group/write.ts";

const PAGE_MAX = 500;

export interface TakenOver {
  waiting: number;
  canceled: number;
  readonly poison: ClaimedLease[];
}

/** Takes the leases of dead nodes, one page for each transaction. */
export class TakeOverLeases {
  readonly #database: Database;
  readonly #write: Write;
  readonly #stats: StatsTally;
  readonly #leasedByOthers: StatementSync;
  readonly #leasedBy: StatementSync;
  readonly #isSilent: StatementSync;
  readonly #forgetNode: StatementSync;
  readonly #forgetOthers: StatementSync;

  constructor(database: Database, write: Write, stats: StatsTally) {
    this.#database = database;
    this.#write = write;
    this.#stats = stats;
    // messages_leased, both ways
    this.#leasedByOthers = database.prepare(
      `SELECT * FROM messages WHERE phase = 1 AND (node_id < ?1 OR node_id > ?1) LIMIT ${PAGE_MAX}`,
    );
    this.#leasedBy = database.prepare(
      `SELECT * FROM messages WHERE phase = 1 AND node_id = ? LIMIT ${PAGE_MAX}`,
    );
    this.#isSilent = database.prepare(
      "SELECT 1 AS found FROM nodes WHERE node_id = ? AND beats > ?",
    );
    this.#forgetNode = database.prepare("DELETE FROM nodes WHERE node_id = ?");
    this.#forgetOthers = database.prepare("DELETE FROM nodes WHERE node_id <> ?");
  }

  takeOver({ nodeId, from, ...time }: TakeOverRequest): TakenOver {
    const taken: TakenOver = { waiting: 0, canceled: 0, poison: [] };
    if (from === "others") {
      this.#takePages(
        () => this.#leasedByOthers.all(nodeId).map(toMessageState),
        nodeId,
        time,
        taken,
      );
      transaction(this.#database, () => this.#forgetOthers.run(nodeId));
      return taken;
    }
    for (const dead of from) {
      if (this.#isSilent.get(dead.nodeId, dead.beats) !== undefined) continue;
      transaction(this.#database, () => this.#forgetNode.run(dead.nodeId));
      this.#takePages(
        () => this.#leasedBy.all(dead.nodeId).map(toMessageState),
        nodeId,
        time,
        taken,
      );
    }
    return taken;
  }

  #takePages(page: () => MessageState[], nodeId: string, time: ClockTime, taken: TakenOver): void {
    let found = 0;
    do {
      found = transaction(this.#database, () => this.#takePage(page(), nodeId, time, taken));
    } while (found === PAGE_MAX);
  }

  #takePage(
    page: readonly MessageState[],
    nodeId: string,
    time: ClockTime,
    taken: TakenOver,
  ): number {
    const rows = new WorkingSet(time);
    for (const state of page) {
      const { kind, changes } = loseLease(state, nodeId, time.now);
      rows.apply(changes);
      if (kind === "poison") taken.poison.push({ ...state, fence: state.fence + 1 });
      else taken[kind] += 1;
    }
    this.#write.write(rows, time.now + time.aheadMs);
    this.#stats.add(rows);
    return page.length;
  }
}
