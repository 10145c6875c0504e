import type { BacklogRow, Stats } from "../../core/model/account/stats.ts";
import type { GrantedLease } from "../../core/model/message/message.ts";
import type { Act, AnswerOf } from "../../core/rules/registry.ts";
import { type Clock, type ClockTime, type DueClock, systemClock } from "../../platform/clock.ts";
import { SharedClock, SteadyClock } from "../../platform/due-time-clock.ts";
import type { Log } from "../../platform/log.ts";
import { Bell } from "../bell.ts";
import { StatsTally } from "../group/stats-tally.ts";
import { GroupCommit } from "../group/group-commit.ts";
import { NO_FACTS } from "../node-facts.ts";
import { carriesEntries, readLeased, withEntries } from "../reads/leased.ts";
import { listReader } from "../reads/list-reader.ts";
import type { Reading } from "../reads/reading.ts";
import type { Reader } from "../reader.ts";
import type { Upcoming } from "../reader/upkeep.ts";
import type { ActResult } from "../group/run-group.ts";
import type {
  AccountRemoval,
  AccountRemoved,
  AccountSwept,
  AccountSweepRequest,
  Beat,
  Claim,
  ClaimRequest,
  LeasedMessage,
  Store,
  Swept,
  SweepRequest,
  TakeOver,
  TakeOverRequest,
} from "../store.ts";
import { Availability } from "./driver/availability.ts";
import { NODES_SQL } from "./upkeep/beat.ts";
import { ClaimLines } from "./claim/claim.ts";
import { IdlePoll } from "./claim/idle-poll.ts";
import { type ConnectionOptions, Connections, IMMEDIATE, PROMPT } from "./driver/connection.ts";
import type { Session } from "./driver/conversation.ts";
import { probe } from "./driver/connection-pool.ts";
import { withProblems, toOpenError } from "./driver/errors.ts";
import { migrate } from "./upkeep/migrate.ts";
import { postgresReader } from "./reads/reader.ts";
import { runReading } from "./reads/run-reading.ts";
import { requireServer, requireWritable } from "./driver/require-server.ts";
import { BACKLOG, STATS } from "../records/stats-table.ts";
import { beat, leave } from "../upkeep/beat.ts";
import { removeAccount } from "../upkeep/remove-account.ts";
import { sweep, sweepAccount } from "../upkeep/sweep.ts";
import { putInto, sumInto } from "./group/table-statements.ts";
import { REMOVAL_SQL } from "./upkeep/remove-account.ts";
import { removeIdleKeys, SWEEP_SQL } from "./upkeep/sweep.ts";
import { takeOver } from "./upkeep/take-over.ts";
import { drawWriters } from "./tables/daily-counts.ts";
import { FactsReadAhead } from "./group/facts-read-ahead.ts";
import { KnownLeases } from "./group/known-leases.ts";
import { RoomWait } from "./group/line-rooms.ts";
import { writeGroup } from "./group/write-group.ts";

export interface PostgresOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly log?: Log;
  /** Which clock decides about leases: the database's, or in tests the one given. */
  readonly time?: "database" | "given";
  /** Where the tables are; the server's default when absent. */
  readonly schema?: string;
}

/** Groups written at once; while they wait for the disk, the next ones fill. */
const GROUPS_MAX = 3;
const ROWS_WORTH_A_GROUP = 128;
const WRITING_CONNECTIONS = GROUPS_MAX + 3;
const READING_CONNECTIONS = 3;
/** Lists have connections of their own, so that nothing else waits for a list. */
const LISTING_CONNECTIONS = 2;

/** The store in PostgreSQL, shared by any number of nodes. */
export class PostgresStore implements Store {
  readonly reader: Reader;
  readonly clock: DueClock;
  readonly isOnlyWriter = false;
  readonly slotFreed = new Bell();
  readonly #time: "database" | "given";
  readonly #availability: Availability;
  readonly #writing: Connections;
  readonly #reading: Connections;
  readonly #listing: Connections;
  readonly #beating: Connections;
  readonly #groups: GroupCommit;
  readonly #idlePoll: IdlePoll;
  readonly #claims: ClaimLines;
  readonly #joined = new Set<string>();
  readonly #idleWriters = drawWriters(GROUPS_MAX);
  readonly #stats = new StatsTally();
  readonly #leases = new KnownLeases();
  readonly #facts = new FactsReadAhead();
  readonly #roomWait = new RoomWait(systemClock);

  private constructor(options: PostgresOptions) {
    this.#time = options.time ?? "database";
    const { url, clock, log } = options;
    this.clock =
      this.#time === "database" ? new SharedClock(clock, log) : new SteadyClock(clock, log);
    this.#availability = new Availability({ probe: () => probe(url), clock: systemClock, log });
    const availability = this.#availability;
    this.#writing = connect(options, WRITING_CONNECTIONS, { availability });
    this.#reading = connect(options, READING_CONNECTIONS, { availability });
    this.#listing = connect(options, LISTING_CONNECTIONS, { availability });
    this.#beating = connect(options, 1, { availability });
    this.reader = listReader(postgresReader(this.#reading, this.#listing), LISTING_CONNECTIONS);
    this.#groups = new GroupCommit({
      write: (acts) => this.#writeGroup(acts),
      groupsMax: GROUPS_MAX,
      rowsWorthAGroup: ROWS_WORTH_A_GROUP,
      clock: systemClock,
    });
    this.#idlePoll = new IdlePoll(this.#writing);
    this.#claims = new ClaimLines(this.#writing, this.#idlePoll, (time) => this.#timeOf(time));
  }

  static async open(options: PostgresOptions): Promise<PostgresStore> {
    const connections = connect(options, 1, { replyTimeoutMs: MIGRATION_REPLY_MS });
    try {
      await requireServer(connections, options.log);
      await migrate(connections, options.schema);
    } catch (error) {
      throw toOpenError(error, options.url);
    } finally {
      await connections.close();
    }
    const store = new PostgresStore(options);
    try {
      await store.#readTime();
    } catch (error) {
      await store.close();
      throw error;
    }
    return store;
  }

  get isDiskFull(): boolean {
    return this.#groups.isDiskFull;
  }

  async requireWritable(): Promise<void> {
    await withProblems(this.#reading.read(requireWritable, IMMEDIATE));
  }

  act<A extends Act>(act: A): Promise<AnswerOf<A>> {
    return this.#groups.submit(act);
  }

  async claim(request: ClaimRequest): Promise<Claim> {
    const { leased, messages, ...outcome } = await withProblems(this.#claims.claim(request));
    this.#leases.add(leased);
    const sent = messages === null ? this.leased(leased) : this.#withEntries(messages);
    return { leased: await sent, ...outcome };
  }

  async #withEntries(messages: LeasedMessage[]): Promise<readonly LeasedMessage[]> {
    return messages.some(carriesEntries) ? await this.#read(withEntries(messages)) : messages;
  }

  /** With a given clock nothing is remembered, since it stands still while much happens. */
  upcoming(ageMsMax: number): Promise<Upcoming> {
    return withProblems(this.#idlePoll.upcoming(this.#time === "given" ? 0 : ageMsMax));
  }

  async leased(granted: readonly GrantedLease[]): Promise<readonly LeasedMessage[]> {
    const { found, unknown } = this.#facts.take(granted);
    return unknown.length === 0 ? found : [...found, ...(await this.#read(readLeased(unknown)))];
  }

  #read<Answer>(reading: Reading<Answer>): Promise<Answer> {
    return withProblems(this.#writing.read((session) => runReading(session, reading)));
  }

  async takeOver(request: TakeOverRequest): Promise<TakeOver> {
    const { waiting, canceled, poison } = await withProblems(
      takeOver(this.#writing, request, (time) => this.#timeOf(time), this.#stats),
    );
    return { waiting, canceled, poison: await this.leased(poison) };
  }

  async beat(nodeId: string, isPaused = false, facts = NO_FACTS): Promise<Beat> {
    const timeOf = this.#timeOf(this.clock.time());
    const node = { nodeId, isPaused, facts, hasJoined: this.#joined.has(nodeId) };
    const renew = async (session: Session): Promise<Beat> =>
      runReading(session, beat(NODES_SQL, node, timeOf(await session.now())));
    const done = await withProblems(this.#beating.transaction(renew, IMMEDIATE));
    this.#joined.add(nodeId);
    this.#groups.foundRoom();
    // All live nodes agree on due time.
    this.clock.catchUp(done.latestAt ?? 0);
    return done;
  }

  async leave(nodeId: string): Promise<void> {
    const remove = (session: Session): Promise<void> => runReading(session, leave(nodeId));
    await withProblems(this.#beating.transaction(remove, { ...IMMEDIATE, isIdempotent: true }));
  }

  /** Reads the database's clock before anything depends on it; later every beat does. */
  async #readTime(): Promise<void> {
    const askedAt = this.clock.monotonic();
    const storeAt = await withProblems(this.#beating.transaction((session) => session.now()));
    this.#setTime(storeAt, askedAt);
  }

  /** The time that a transaction which begins now uses. */
  #timeOf(given: ClockTime): (storeAt: number) => ClockTime {
    const askedAt = this.clock.monotonic();
    return (storeAt) => {
      if (this.#time === "given") return given;
      const now = this.#setTime(storeAt, askedAt);
      return { now, aheadMs: this.clock.time().aheadMs };
    };
  }

  #setTime(now: number, askedAt: number): number {
    return this.clock instanceof SharedClock ? this.clock.observe(now, askedAt) : now;
  }

  async recordStats(minutesMax: number, backlog: readonly BacklogRow[] = []): Promise<boolean> {
    const rows = this.#stats.take(minutesMax);
    const write = async (session: Session): Promise<void> => {
      await addStats(session, rows);
      await putBacklog(session, backlog);
    };
    try {
      await withProblems(this.#writing.transaction(write, PROMPT));
    } catch (error) {
      this.#stats.putBack(rows);
      throw error;
    }
    return this.#stats.hasMore;
  }

  totals(): Promise<Stats> {
    return Promise.resolve(this.#stats.totals);
  }

  sweep(request: SweepRequest): Promise<Swept> {
    const { keysBefore, now, pageMax } = request;
    return this.#remove(async (session) => {
      const idle = await removeIdleKeys(session, keysBefore, now, pageMax);
      return runReading(session, sweep(SWEEP_SQL, request, idle));
    });
  }

  sweepAccount(request: AccountSweepRequest): Promise<AccountSwept> {
    return this.#remove((session) => runReading(session, sweepAccount(SWEEP_SQL, request)));
  }

  removeAccount(request: AccountRemoval): Promise<AccountRemoved> {
    return this.#remove((session) => runReading(session, removeAccount(REMOVAL_SQL, request)));
  }

  #remove<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return withProblems(this.#writing.transaction(work));
  }

  async close(): Promise<void> {
    await this.#groups.drain();
    this.#availability.close();
    const pools = [this.#writing, this.#reading, this.#listing, this.#beating];
    await Promise.all(pools.map((pool) => pool.close()));
  }

  /** Groups written at once count in separate rows. */
  async #writeGroup(acts: readonly Act[]): Promise<readonly ActResult[]> {
    const writer = this.#idleWriters.pop()!;
    try {
      const time = this.clock.time();
      const { results, freedSlot } = await writeGroup(this.#writing, acts, {
        time,
        writer,
        stats: this.#stats,
        leases: this.#leases,
        facts: this.#facts,
        roomWait: this.#roomWait,
      });
      if (freedSlot) this.slotFreed.ring();
      return results;
    } finally {
      this.#idleWriters.push(writer);
    }
  }
}

const addStats = sumInto(STATS);
const putBacklog = putInto(BACKLOG);
const MIGRATION_REPLY_MS = 600_000;

function connect(
  { url, schema }: PostgresOptions,
  connectionsMax: number,
  more: Pick<ConnectionOptions, "replyTimeoutMs" | "availability">,
): Connections {
  return new Connections({ url, schema, connectionsMax, ...more });
}
