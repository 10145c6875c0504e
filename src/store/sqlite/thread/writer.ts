import type { BacklogRow, Stats } from "../../../core/model/account/stats.ts";
import type { Act } from "../../../core/rules/registry.ts";
import type { ClockTime } from "../../../platform/clock.ts";
import { portable } from "../../../platform/thread.ts";
import { type ActResult, type GroupResult, runRules } from "../../group/run-group.ts";
import type {
  AccountRemoval,
  AccountRemoved,
  AccountSwept,
  AccountSweepRequest,
  Beat,
  ClaimRequest,
  Swept,
  SweepRequest,
  TakeOverRequest,
} from "../../store.ts";
import { NO_FACTS } from "../../node-facts.ts";
import { ActiveRunCache } from "../group/active-runs.ts";
import { LeasedMessageCache } from "../group/leased-messages.ts";
import type { Claimed } from "../../claim-budget.ts";
import { ClaimLines } from "../claim/claim.ts";
import { ClaimUnpacker, type PackedClaim } from "../claim/packed-claim.ts";
import {
  type Database,
  openWriter,
  requireDurable,
  transaction,
  withoutWaiting,
} from "./connection.ts";
import { StatsTally } from "../../group/stats-tally.ts";
import { DailyCounts } from "../tables/daily-counts.ts";
import { isOutage } from "./errors.ts";
import { Resources } from "../tables/resources.ts";
import { Load } from "../group/load.ts";
import { migrate } from "../upkeep/migrate.ts";
import { type PackedActs, unpackActs } from "../group/pack.ts";
import { Sequences } from "../group/sequences.ts";
import { putInto, sumInto, type WriteRows } from "../group/table-statements.ts";
import { type RunReading, statementReader } from "../reads/run-reading.ts";
import { BACKLOG, type StatRow, STATS } from "../../records/stats-table.ts";
import { BEAT_SQL, beat, leave } from "../../upkeep/beat.ts";
import { removeAccount } from "../../upkeep/remove-account.ts";
import { sweep, sweepAccount } from "../../upkeep/sweep.ts";
import type { TakenOver } from "../../upkeep/take-over.ts";
import { REMOVAL_SQL } from "../upkeep/remove-account.ts";
import { IDLE_KEYS_SQL, removeIdleKeys, SWEEP_SQL } from "../upkeep/sweep.ts";
import { TakeOverLeases } from "../upkeep/take-over.ts";
import { Write } from "../group/write.ts";

const COUNT_DAYS_MS = 1_000;

/** On SQLite there is one node at a time, but the rules are the same. */
const NODES_SQL = `SELECT node_id, beats, renewed_at, facts,
    (SELECT left_at FROM service) AS left_at
  FROM nodes`;

/** A database that is refused is closed before its caller hears of it: others may open or move it. */
function openMigrated(path: string): Database {
  const database = openWriter(path);
  try {
    migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Everything that writes, on the one connection that may. Synchronous: it runs in a thread. */
export class SqliteWriter {
  readonly #database: Database;
  readonly #sequences: Sequences;
  readonly #active = new LeasedMessageCache();
  readonly #activeRuns = new ActiveRunCache();
  readonly #tally = new StatsTally();
  readonly #addStats: WriteRows<StatRow>;
  readonly #putBacklog: WriteRows<BacklogRow>;
  readonly #load: Load;
  readonly #write: Write;
  readonly #days: DailyCounts;
  readonly #claim: ClaimLines;
  readonly #unpacker = new ClaimUnpacker();
  readonly #takeOver: TakeOverLeases;
  readonly #run: RunReading;
  readonly #joined = new Set<string>();
  #countDaysAt = 0;

  constructor(path: string) {
    const database = openMigrated(path);
    this.#database = database;
    this.#sequences = new Sequences(database);
    const resources = new Resources(database);
    this.#days = new DailyCounts(database);
    this.#addStats = sumInto(database, STATS);
    this.#putBacklog = putInto(database, BACKLOG);
    this.#load = new Load(database, this.#sequences, this.#active, this.#activeRuns, resources);
    this.#write = new Write(database, this.#sequences, resources);
    this.#claim = new ClaimLines(database, this.#write);
    this.#takeOver = new TakeOverLeases(database, this.#write, this.#tally);
    const chores = { ...BEAT_SQL, nodes: NODES_SQL, ...SWEEP_SQL, ...IDLE_KEYS_SQL };
    this.#run = statementReader(database, [chores]);
    this.#database.exec("UPDATE schema_info SET version = version");
    requireDurable(database);
  }

  /** For a reader in the same process, when the database is in memory. */
  get database(): Database {
    return this.#database;
  }

  /** The first call: the thread has opened the file. */
  ready(): boolean {
    return true;
  }

  /** A group and its results in the form in which they cross threads. */
  packedGroup(packed: PackedActs, time: ClockTime): string {
    const { results, freedSlot } = this.group(unpackActs(packed), time);
    return JSON.stringify({ results: results.map(portableResult), freedSlot });
  }

  /** Writes a group in one transaction; if an act fails, each act in one of its own. */
  group(acts: readonly Act[], time: ClockTime): GroupResult {
    try {
      return this.#together(acts, time);
    } catch (error) {
      if (isOutage(error) || acts.length === 1) {
        return { results: acts.map(() => ({ ok: false, error })), freedSlot: false };
      }
      const single = acts.map((act) => this.group([act], time));
      return {
        results: single.flatMap(({ results }) => results),
        freedSlot: single.some(({ freedSlot }) => freedSlot),
      };
    }
  }

  /**
   * A lease need not survive a power cut: without it the message is only sent again. So a claim
   * does not wait for the disk; the next group makes it durable.
   */
  claim(packed: PackedClaim): Claimed {
    const request = this.#unpacker.unpack(packed);
    return withoutWaiting(this.#database, () => this.#claimNow(request));
  }

  #claimNow(request: ClaimRequest): Claimed {
    return transaction(this.#database, () => {
      const claimed = this.#claim.claim(request);
      this.#sequences.save();
      return claimed;
    });
  }

  takeOver(request: TakeOverRequest): TakenOver {
    this.#active.forget();
    return this.#takeOver.takeOver(request);
  }

  beat(nodeId: string, time: ClockTime, isPaused: boolean, facts = NO_FACTS): Beat {
    const node = { nodeId, isPaused, facts, hasJoined: this.#joined.has(nodeId) };
    const done = transaction(this.#database, () => {
      this.#countDays(time);
      return this.#run(beat(NODES_SQL, node, time));
    });
    this.#joined.add(nodeId);
    return done;
  }

  leave(nodeId: string): void {
    transaction(this.#database, () => this.#run(leave(nodeId)));
  }

  /** Writes the first minutes of what was counted; true when there are more. */
  recordStats(minutesMax: number, backlog: readonly BacklogRow[]): boolean {
    const rows = this.#tally.take(minutesMax);
    try {
      transaction(this.#database, () => {
        this.#addStats(rows);
        this.#putBacklog(backlog);
      });
    } catch (error) {
      this.#tally.putBack(rows);
      throw error;
    }
    return this.#tally.hasMore;
  }

  /** What was counted since the start. */
  totals(): Stats {
    return this.#tally.totals;
  }

  sweep(request: SweepRequest): Swept {
    const { keysBefore, now, pageMax } = request;
    return this.#remove(() => {
      const idle = this.#run(removeIdleKeys(keysBefore, now, pageMax));
      return this.#run(sweep(SWEEP_SQL, request, idle));
    });
  }

  sweepAccount(request: AccountSweepRequest): AccountSwept {
    return this.#remove(() => {
      // What is removed from the log has been counted before.
      this.#days.countLog();
      return this.#run(sweepAccount(SWEEP_SQL, request));
    });
  }

  removeAccount(request: AccountRemoval): AccountRemoved {
    this.#active.forget();
    this.#activeRuns.forget();
    return this.#remove(() => this.#run(removeAccount(REMOVAL_SQL, request)));
  }

  /** What is deleted need not be gone after a power cut: the next round deletes it again. */
  #remove<T>(work: () => T): T {
    return withoutWaiting(this.#database, () => transaction(this.#database, work));
  }

  close(): void {
    this.#database.close();
  }

  #together(acts: readonly Act[], time: ClockTime): GroupResult {
    const { rows, ...result } = transaction(this.#database, () => {
      const loaded = this.#load.load(acts, time);
      const results = runRules(acts, loaded);
      const freedSlot = this.#write.write(loaded, time.now + time.aheadMs);
      this.#countDays(time);
      return { rows: loaded, results, freedSlot };
    });
    this.#active.remember(rows);
    this.#activeRuns.remember(rows.runs);
    this.#tally.add(rows);
    return result;
  }

  /** When this is rolled back the log has not been counted, and is with the next second. */
  #countDays({ now, aheadMs }: ClockTime): void {
    if (now + aheadMs < this.#countDaysAt) return;
    this.#days.countLog();
    this.#countDaysAt = now + aheadMs + COUNT_DAYS_MS;
  }
}

/** Results are sent as text, in which an Error would become an empty object. */
function portableResult(result: ActResult): ActResult {
  return result.ok ? result : { ok: false, error: portable(result.error) };
}
