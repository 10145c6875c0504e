import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { BacklogRow, Stats } from "../../core/model/account/stats.ts";
import type { GrantedLease } from "../../core/model/message/message.ts";
import type { Act, AnswerOf } from "../../core/rules/registry.ts";
import { Problem } from "../../core/problem.ts";
import { type Clock, type DueClock, systemClock } from "../../platform/clock.ts";
import { createFile, makeFolder } from "../../platform/durable-files.ts";
import type { Log } from "../../platform/log.ts";
import { SteadyClock } from "../../platform/due-time-clock.ts";
import { Bell } from "../bell.ts";
import { isCompletion } from "../group/act-account.ts";
import { GroupCommit } from "../group/group-commit.ts";
import { NO_FACTS } from "../node-facts.ts";
import { listReader } from "../reads/list-reader.ts";
import type { Reader } from "../reader.ts";
import type { Upcoming } from "../reader/upkeep.ts";
import type { ActResult, GroupResult } from "../group/run-group.ts";
import type {
  AccountRemoval,
  AccountRemoved,
  AccountSwept,
  AccountSweepRequest,
  Beat,
  Claim,
  ClaimRequest,
  Store,
  Swept,
  SweepRequest,
  TakeOver,
  TakeOverRequest,
} from "../store.ts";
import { isBusy, isDiskFull, isFatal, isMoved, toFolderError } from "./thread/errors.ts";
import { fileGone, FileWatch } from "./thread/file-watch.ts";
import { DataLock } from "./thread/lock.ts";
import { movedFrom } from "./move/moved-file.ts";
import { StoreOpenError } from "../store-open-error.ts";
import { ClaimPacker } from "./claim/packed-claim.ts";
import type { Claimed } from "../claim-budget.ts";
import { packActs } from "./group/pack.ts";
import {
  type StartThreads,
  type ThreadCall,
  type ThreadCalls,
  callingReader,
  startInMemory,
  startThreads,
} from "./thread/thread-calls.ts";
import type { SqliteWriter } from "./thread/writer.ts";

export interface SqliteOptions {
  /** The database file, or ":memory:" for one that lives as long as the process. */
  readonly path: string;
  readonly clock: Clock;
  readonly log?: Log | undefined;
  /** The file can no longer be trusted: the process must stop and recover from what is on disk. */
  readonly onFatal: (error: Error) => void;
  /** Called while only this process holds the folder, before the database is opened or created. */
  readonly beforeOpening?: (() => void) | undefined;
  /** Starts the writer and the readers; each store has threads of its own unless this is given. */
  readonly startThreads?: StartThreads | undefined;
}

/** Whether there is a database at that path; an empty file is none. */
export function hasDatabase(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.isFile() && found.size > 0;
}

/** The next group is sent to the thread while it writes one, when there are many messages. */
const GROUPS_MAX = 2;
const ROWS_WORTH_A_GROUP = 800;
/** The next list is sent to its thread while that reads one. */
const LISTS_MAX = 2;

/** The methods of the thread. */
type Written = Omit<SqliteWriter, "database">;

/** The store in one file, written by one thread and read by two others. */
export class SqliteStore implements Store {
  readonly reader: Reader;
  readonly clock: DueClock;
  /** The lock of the file keeps other processes out. */
  readonly isOnlyWriter = true;
  readonly slotFreed = new Bell();
  readonly #options: SqliteOptions;
  readonly #lock: DataLock | null;
  readonly #writing: ThreadCall;
  readonly #reading: ThreadCall;
  readonly #listing: ThreadCall;
  readonly #groups: GroupCommit;
  readonly #packer = new ClaimPacker();
  readonly #file: FileWatch;

  private constructor(options: SqliteOptions, lock: DataLock | null, calls: ThreadCalls) {
    this.#options = options;
    this.clock = new SteadyClock(options.clock, options.log);
    this.#lock = lock;
    this.#file = new FileWatch(options.path, options.clock, options.log);
    this.#writing = calls.writing;
    this.#reading = calls.reading;
    this.#listing = calls.listing;
    this.reader = listReader(callingReader(calls), LISTS_MAX);
    this.#groups = new GroupCommit({
      write: (acts) => this.#writeGroup(acts),
      groupsMax: GROUPS_MAX,
      rowsWorthAGroup: ROWS_WORTH_A_GROUP,
      areParallel: false,
      clock: systemClock,
    });
  }

  static async open(options: SqliteOptions): Promise<SqliteStore> {
    if (options.path === ":memory:") return new SqliteStore(options, null, startInMemory());
    if (!hasDatabase(options.path)) {
      makeDataFolder(dirname(options.path));
      requireNotMoved(options.path);
    }
    const lock = new DataLock(`${options.path}.lock`);
    try {
      options.beforeOpening?.();
      // SQLite gives its other files the mode of this one.
      createFile(options.path);
      const start = options.startThreads ?? startThreads;
      return new SqliteStore(options, lock, await start(options.path, options.onFatal));
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  get isDiskFull(): boolean {
    return this.#groups.isDiskFull;
  }

  /** That a full disk refuses its writes, `isDiskFull` tells. */
  async requireWritable(): Promise<void> {
    this.#file.look();
    if (this.#file.isGone) throw fileGone();
    await this.reader.accounts.get("");
  }

  act<A extends Act>(act: A): Promise<AnswerOf<A>> {
    if (this.#file.isGone && !isCompletion(act)) return Promise.reject(fileGone());
    return this.#groups.submit(act);
  }

  async claim(request: ClaimRequest): Promise<Claim> {
    const { leased, ...outcome } = await this.#claimNow(request);
    return { leased: leased.length === 0 ? [] : await this.leased(leased), ...outcome };
  }

  async #claimNow(request: ClaimRequest): Promise<Claimed> {
    try {
      return await this.#write("claim", this.#packer.pack(request));
    } catch (error) {
      this.#packer.failed();
      throw error;
    }
  }

  upcoming(): Promise<Upcoming> {
    return this.reader.upkeep.upcoming();
  }

  async leased(granted: readonly GrantedLease[]): Promise<Claim["leased"]> {
    return (await this.#reading("leased", [granted])) as Claim["leased"];
  }

  async takeOver(request: TakeOverRequest): Promise<TakeOver> {
    const { waiting, canceled, poison } = await this.#write("takeOver", request);
    return { waiting, canceled, poison: await this.leased(poison) };
  }

  async beat(nodeId: string, isPaused = false, facts = NO_FACTS): Promise<Beat> {
    this.#file.look();
    const beat = await this.#write("beat", nodeId, this.clock.time(), isPaused, facts);
    this.#groups.foundRoom();
    this.clock.catchUp(beat.latestAt ?? 0);
    return beat;
  }

  leave(nodeId: string): Promise<void> {
    return this.#write("leave", nodeId);
  }

  recordStats(minutesMax: number, backlog: readonly BacklogRow[] = []): Promise<boolean> {
    return this.#write("recordStats", minutesMax, backlog);
  }

  totals(): Promise<Stats> {
    return this.#write("totals");
  }

  sweep(request: SweepRequest): Promise<Swept> {
    return this.#write("sweep", request);
  }

  sweepAccount(request: AccountSweepRequest): Promise<AccountSwept> {
    return this.#write("sweepAccount", request);
  }

  removeAccount(request: AccountRemoval): Promise<AccountRemoved> {
    return this.#write("removeAccount", request);
  }

  async close(): Promise<void> {
    await this.#groups.drain();
    await this.#listing("close", []);
    await this.#reading("close", []);
    await this.#writing("close", []);
    this.#lock?.release();
  }

  async #writeGroup(acts: readonly Act[]): Promise<readonly ActResult[]> {
    const packed = packActs(acts);
    const answer = await this.#writing("packedGroup", [packed, this.clock.time()], [packed.bodies]);
    const { results, freedSlot } = JSON.parse(answer as string) as GroupResult;
    if (freedSlot) this.slotFreed.ring();
    // After the write, so that what is acknowledged is in a file that was there.
    this.#file.look();
    return results.map((result, index) => {
      if (!result.ok) return { ok: false, error: this.#toProblem(result.error) };
      const isLost = this.#file.isGone && !isCompletion(acts[index]!);
      return isLost ? { ok: false, error: fileGone() } : result;
    });
  }

  async #write<Name extends keyof Written>(
    method: Name,
    ...args: Parameters<Written[Name]>
  ): Promise<ReturnType<Written[Name]>> {
    try {
      return (await this.#writing(method, args)) as ReturnType<Written[Name]>;
    } catch (error) {
      throw this.#toProblem(error);
    }
  }

  /** The error that the caller of the store gets for an error of the database. */
  #toProblem(error: unknown): unknown {
    if (isFatal(error)) {
      this.#options.onFatal(error as Error);
      return new Problem("overloaded", "the store is not available", 5);
    }
    if (isBusy(error)) {
      return new Problem("overloaded", "another program keeps the database locked; try again", 5);
    }
    if (isMoved(error)) return new Problem("overloaded", "the data was moved; try again", 5);
    if (isDiskFull(error)) return new Problem("disk-low", "the disk is full; try again later", 5);
    return error;
  }
}

/** A service that is started again as before must not begin with an empty store. */
function requireNotMoved(path: string): void {
  const moved = movedFrom(path);
  if (moved === null) return;
  throw new StoreOpenError(
    `the data of this folder was moved to another store by postrider move; start on that one. To start empty here, remove ${moved} first`,
  );
}

function makeDataFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw toFolderError(error, folder);
  }
}
