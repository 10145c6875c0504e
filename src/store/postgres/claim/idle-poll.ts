import { systemClock } from "../../../platform/clock.ts";
import type { Upcoming } from "../../reader/upkeep.ts";
import { toUpcoming, UPCOMING } from "../../reads/upkeep.ts";
import { type Connections, PROMPT } from "../driver/connection.ts";
import { CLAIM_SQL } from "./claim-sql.ts";

/** Everything that a node with nothing to do must know. */
export interface Polled extends Upcoming {
  /** The database's clock. */
  readonly now: number;
  /** When the first line is due, and the first suspect. */
  readonly lineAt: number | null;
  readonly suspectAt: number | null;
}

interface Poll {
  /** On the monotonic clock. */
  readonly startedAt: number;
  readonly polled: Promise<Polled>;
}

/**
 * Reads in one statement when the next work of any kind is due, so that all loops of an idle node
 * share one poll of the database.
 */
export class IdlePoll {
  readonly #connections: Connections;
  #last: Poll | null = null;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** The result of a poll that began at most so long ago. */
  async upcoming(ageMsMax: number): Promise<Upcoming> {
    const last = this.#last;
    if (last !== null && systemClock.monotonic() - last.startedAt < ageMsMax) return last.polled;
    return this.poll(0);
  }

  /** Lines that were due before `linesFrom` are skipped. */
  poll(linesFrom: number): Promise<Polled> {
    const poll = { startedAt: systemClock.monotonic(), polled: this.#read(linesFrom) };
    this.#last = poll;
    poll.polled.catch(() => {
      if (this.#last === poll) this.#last = null;
    });
    return poll.polled;
  }

  async #read(linesFrom: number): Promise<Polled> {
    const { now, rows } = await this.#connections.readOne(SQL, [linesFrom], PROMPT);
    const [row] = rows;
    return {
      now,
      lineAt: row!["line_at"] as number | null,
      suspectAt: row!["suspect_at"] as number | null,
      ...toUpcoming(row!),
    };
  }
}

// lines_next
const SQL = `SELECT ${UPCOMING}, (${CLAIM_SQL.nextSuspect}) AS suspect_at,
  (SELECT next_at FROM lines WHERE next_at IS NOT NULL AND next_at >= $1
   ORDER BY next_at LIMIT 1) AS line_at`;
