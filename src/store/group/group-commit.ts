import { type Act, type AnswerOf, bodyBytesOf } from "../../core/rules/registry.ts";
import { Problem } from "../../core/problem.ts";
import type { Clock } from "../../platform/clock.ts";
import { nextTurn } from "../../platform/turn.ts";
import type { ActResult } from "./run-group.ts";
import { StoreUnavailable } from "../store-unavailable.ts";
import { accountOf, isCompletion, rowsOf } from "./act-account.ts";
import { ActQueue, GROUP_ACTS_MAX, type Queued, type Taken } from "./act-queue.ts";

export interface GroupCommitOptions {
  /** Writes a group in one transaction and returns the result of each act. */
  readonly write: (acts: readonly Act[]) => Promise<readonly ActResult[]>;
  /** Groups under way at once, when enough acts wait to fill them. */
  readonly groupsMax: number;
  /** When this many rows wait, another group is started beside those under way. */
  readonly rowsWorthAGroup: number;
  /**
   * Whether groups under way are written at the same time, as they are by default. Otherwise one
   * waits for the other, so that while several accounts are active there is only one.
   */
  readonly areParallel?: boolean;
  /** With a clock, callers are answered in time, whether the store has confirmed or not. */
  readonly clock?: Pick<Clock, "after">;
}

interface Waiting extends Queued {
  readonly act: Act;
  readonly submittedAtCheck: number;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

interface Group extends Taken<Waiting> {
  readonly startedAtCheck: number;
}

const GATHER_TURNS_MAX = 8;
/** While several accounts are active; the turns of a busy one are long. */
const SHARED_GATHER_TURNS_MAX = 1;
const CHECK_MS = 1_000;
/** A caller waits for at most this many checks for a store that confirms nothing. */
const CHECKS_MAX = 6;
/** And for at most this many until its own group begins. */
const WAITING_CHECKS_MAX = 9;
/** Large groups get one more check for each so many bytes: a slow disk is not a silent store. */
const BYTES_PER_CHECK = 4 * 1024 * 1024;
const NOT_CONFIRMED = "the store did not confirm in time; it may have been stored";

/**
 * Gathers the acts of concurrent callers into groups: while one is written, the next one fills. The
 * waiting acts are bounded; beyond that, new work is refused, but the end of work under way is not.
 * Accounts take turns: see ActQueue.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  readonly #waiting = new ActQueue<Waiting>();
  readonly #underWay = new Set<Group>();
  /** How many lanes of an account are in the groups under way. */
  readonly #busyAccounts = new Map<string, number>();
  #checks = 0;
  /** The number of the check at which a group was last written. */
  #confirmedAt = 0;
  #cancelCheck: (() => void) | null = null;
  #isDiskFull = false;
  #scheduled = false;
  #idle: (() => void)[] = [];

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  submit<A extends Act>(act: A): Promise<AnswerOf<A>> {
    const bytes = bodyBytesOf(act);
    const accountId = accountOf(act);
    if (isNewWork(act) && this.#waiting.isFullFor(accountId, bytes)) {
      return Promise.reject(new Problem("overloaded", "the store is busy; try again", 1));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.add({
        act,
        accountId,
        isCompletion: isCompletion(act),
        bytes,
        rows: rowsOf(act),
        submittedAtCheck: this.#checks,
        resolve,
        reject,
      });
      this.#schedule();
      this.#watch();
    });
  }

  /** The last write was refused because the disk is full. */
  get isDiskFull(): boolean {
    return this.#isDiskFull;
  }

  /** Another write than a group succeeded, so the disk has space again. */
  foundRoom(): void {
    this.#isDiskFull = false;
  }

  async drain(): Promise<void> {
    if (this.#underWay.size > 0 || this.#waiting.size > 0) {
      await new Promise<void>((resolve) => this.#idle.push(resolve));
    }
    // A process that ends need not wait for the next check.
    this.#cancelCheck?.();
    this.#cancelCheck = null;
  }

  /** A group begins when the event loop has handled the requests that have arrived. */
  #schedule(): void {
    if (this.#scheduled || !this.#mayStart()) return;
    this.#scheduled = true;
    void this.#gather();
  }

  /** Waits for as long as each turn of the event loop brings more acts: each group costs a commit. */
  async #gather(): Promise<void> {
    const turnsMax = this.#waiting.isShared ? SHARED_GATHER_TURNS_MAX : GATHER_TURNS_MAX;
    for (let turn = 0; turn < turnsMax; turn++) {
      const count = this.#waiting.size;
      await nextTurn();
      const { size } = this.#waiting;
      if (size <= count || size >= GROUP_ACTS_MAX) break;
    }
    this.#scheduled = false;
    await this.#writeGroup();
  }

  /** A few large groups cost less than many small ones, so another one needs enough rows. */
  #mayStart(): boolean {
    if (this.#underWay.size === 0) return true;
    const { groupsMax, rowsWorthAGroup } = this.#options;
    if (this.#underWay.size >= groupsMax) return false;
    if (this.#waiting.isShared) return this.#mayStartBeside();
    return this.#waiting.rows >= rowsWorthAGroup;
  }

  /** The last group is kept for accounts that have none under way. */
  #mayStartBeside(): boolean {
    const { groupsMax, rowsWorthAGroup, areParallel = true } = this.#options;
    if (!areParallel) return false;
    if (this.#waiting.hasOther(this.#busyAccounts)) return true;
    const isWorthIt = this.#waiting.rows >= rowsWorthAGroup;
    return (
      isWorthIt &&
      this.#underWay.size < groupsMax - 1 &&
      this.#waiting.hasGroup(!this.#isHeavyUnderWay())
    );
  }

  #isHeavyUnderWay(): boolean {
    for (const group of this.#underWay) if (group.isHeavy) return true;
    return false;
  }

  async #writeGroup(): Promise<void> {
    const group = this.#takeGroup();
    const { items } = group;
    // What waited may have been refused before its group began.
    if (items.length === 0) return this.#goOn();
    this.#begin(group);
    try {
      const results = await this.#options.write(items.map(({ act }) => act));
      if (results.some(({ ok }) => ok)) this.#confirmedAt = this.#checks;
      items.forEach(({ resolve, reject }, index) => {
        const result = results[index];
        this.#isDiskFull = isDiskFull(result);
        if (result?.ok) resolve(result.answer as never);
        else reject(result?.error);
      });
    } catch (error) {
      for (const { reject } of items) reject(error);
    }
    this.#end(group);
    this.#goOn();
  }

  #begin(group: Group): void {
    this.#underWay.add(group);
    for (const id of group.accountIds) {
      this.#busyAccounts.set(id, (this.#busyAccounts.get(id) ?? 0) + 1);
    }
  }

  #end(group: Group): void {
    this.#underWay.delete(group);
    for (const id of group.accountIds) {
      const count = this.#busyAccounts.get(id)! - 1;
      if (count === 0) this.#busyAccounts.delete(id);
      else this.#busyAccounts.set(id, count);
    }
  }

  #goOn(): void {
    if (this.#waiting.size > 0) this.#schedule();
    else if (this.#underWay.size === 0) for (const done of this.#idle.splice(0)) done();
  }

  /** Checks every second, while any act waits, for callers that have waited too long. */
  #watch(): void {
    const { clock } = this.#options;
    if (clock === undefined || this.#cancelCheck !== null) return;
    this.#cancelCheck = clock.after(CHECK_MS, () => {
      this.#cancelCheck = null;
      this.#checks += 1;
      this.#refuseLate();
      if (this.#underWay.size > 0 || this.#waiting.size > 0) this.#watch();
    });
  }

  #refuseLate(): void {
    for (const { items, bytes, startedAtCheck } of this.#underWay) {
      const isSilent = this.#checks - startedAtCheck >= CHECKS_MAX + checksFor(bytes);
      for (const item of items) {
        if (!isCallers(item.act)) continue;
        // What is large may take its time twice: until its group begins, and to be written.
        const isLate = this.#waited(item) >= WAITING_CHECKS_MAX + 2 * checksFor(item.bytes);
        if (isSilent || isLate) item.reject(new StoreUnavailable(NOT_CONFIRMED));
      }
    }
    // While groups are confirmed, a waiting act gets its turn, unless its caller waits too long.
    const isLate = (item: Waiting): boolean =>
      isCallers(item.act) &&
      (this.#checks - Math.max(item.submittedAtCheck, this.#confirmedAt) >= CHECKS_MAX ||
        this.#waited(item) >= WAITING_CHECKS_MAX + checksFor(item.bytes));
    for (const { reject } of this.#waiting.remove(isLate)) {
      reject(new Problem("overloaded", "the store is busy; try again", 1));
    }
  }

  #waited({ submittedAtCheck }: Waiting): number {
    return this.#checks - submittedAtCheck;
  }

  #takeGroup(): Group {
    return { ...this.#take(), startedAtCheck: this.#checks };
  }

  #take(): Taken<Waiting> {
    if (!this.#waiting.isShared) return this.#waiting.take(true);
    // Beside other groups, an account without one goes alone: it need not wait for the busy ones.
    const isForOthers = this.#underWay.size > 0 && this.#waiting.hasOther(this.#busyAccounts);
    const excluded = isForOthers ? this.#busyAccounts : undefined;
    return this.#waiting.take(!this.#isHeavyUnderWay(), excluded);
  }
}

function checksFor(bytes: number): number {
  return Math.floor(bytes / BYTES_PER_CHECK);
}

function isDiskFull(result: ActResult | undefined): boolean {
  if (result === undefined || result.ok) return false;
  return result.error instanceof Problem && result.error.kind === "disk-low";
}

/** Completions are never refused: that would only make more work. Ticks were promised. */
function isNewWork(act: Act): boolean {
  return !isCompletion(act) && act.rule !== "tick";
}

/** Whether a caller of the API waits for the act, as a workflow's endpoint that appends does. */
function isCallers(act: Act): boolean {
  return isNewWork(act) || act.rule === "append";
}
