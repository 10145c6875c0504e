import { systemClock } from "../../../platform/clock.ts";
import type { Upcoming } from "../../reader/upkeep.ts";
import { toUpcoming, UPCOMING } from "../../reads/upkeep.ts";
import { MOVED_PROGRAM, SCHEMA_INFO_SQL, toSchemaInfo } from "../../schema.ts";
import { type Connections, PROMPT } from "../driver/connection.ts";
import { isMissingTable } from "../driver/sql-states.ts";
import { CLAIM_SQL } from "./claim-sql.ts";

/** Everything that a node with nothing to do must know. */
interface Polled extends Upcoming {
  /** The database's clock. */
  readonly now: number;
  /** When the first line is due, and the first suspect. */
  readonly lineAt: number | null;
  readonly suspectAt: number | null;
}

/** What was upcoming when it was last read. */
interface Known {
  /** On the monotonic clock. */
  readonly askedAt: number;
  readonly upcoming: Promise<Upcoming>;
}

/**
 * Reads in one statement when the next work of any kind is due, so that all loops of an idle node
 * share one poll of the database.
 */
export class IdlePoll {
  readonly #connections: Connections;
  #known: Known | null = null;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** As it was at most so long ago. A busy node reads it without the lines: its claims read them. */
  upcoming(ageMsMax: number): Promise<Upcoming> {
    const known = this.#known;
    if (known !== null && systemClock.monotonic() - known.askedAt < ageMsMax) return known.upcoming;
    return this.#remember(this.#readUpcoming());
  }

  /** Lines that were due before `linesFrom` are skipped. */
  poll(linesFrom: number): Promise<Polled> {
    return this.#remember(this.#readAll(linesFrom));
  }

  #remember<Found extends Upcoming>(upcoming: Promise<Found>): Promise<Found> {
    const known = { askedAt: systemClock.monotonic(), upcoming };
    this.#known = known;
    upcoming.catch(() => {
      if (this.#known === known) this.#known = null;
    });
    return upcoming;
  }

  async #readUpcoming(): Promise<Upcoming> {
    try {
      const { rows } = await this.#connections.readOne(`SELECT ${UPCOMING}`, [], PROMPT);
      return toUpcoming(rows[0]!);
    } catch (error) {
      if (!isMissingTable(error) || !(await this.#isMoved())) throw error;
      return MOVED;
    }
  }

  /** A node that was asleep while the data was moved finds a schema without its tables. */
  async #isMoved(): Promise<boolean> {
    const { rows } = await this.#connections.readOne(SCHEMA_INFO_SQL, [], PROMPT);
    return toSchemaInfo(rows[0]).oldestProgram === MOVED_PROGRAM;
  }

  async #readAll(linesFrom: number): Promise<Polled> {
    const { now, rows } = await this.#connections.readOne(ALL_SQL, [linesFrom], PROMPT);
    const row = rows[0]!;
    return {
      now,
      lineAt: row["line_at"] as number | null,
      suspectAt: row["suspect_at"] as number | null,
      ...toUpcoming(row),
    };
  }
}

// lines_next
const ALL_SQL = `SELECT ${UPCOMING}, (${CLAIM_SQL.nextSuspect}) AS suspect_at,
  (SELECT next_at FROM lines WHERE next_at IS NOT NULL AND next_at >= $1
   ORDER BY next_at LIMIT 1) AS line_at`;

const MOVED: Upcoming = {
  waitEndsAt: null,
  tickAt: null,
  isPaused: true,
  move: { id: "", to: "another store", standStill: null, isMoved: true },
  secretKey: null,
};
