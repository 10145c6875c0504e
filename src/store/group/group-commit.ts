import type { Act, AnswerOf } from "../../core/act.ts";
import { bodyBytesOf } from "../../core/rules/registry.ts";
import { Problem } from "../../core/problem.ts";
import type { Clock } from "../../platform/clock.ts";
import { nextTurn } from "../../platform/turn.ts";
import type { ActResult } from "./run-group.ts";
import { StoreAway } from "../store-away.ts";

export interface GroupCommitOptions {
  /** Writes a group in one transaction and returns the result of each act. */
  readonly write: (acts: readonly Act[]) => Promise<readonly ActResult[]>;
  /** Groups under way at once, when enough acts wait to fill them. */
  readonly groupsMax: number;
  /** When this many rows wait, another group is started beside those under way. */
  readonly rowsWorthAGroup: number;
  /** With a clock, callers are answered in time, whether the store has confirmed or not. */
  readonly clock?: Pick<Clock, "after">;
}

interface Waiting {
  readonly act: Act;
  readonly bytes: number;
  readonly rows: number;
  /** The number of the check at which it was submitted. */
  readonly since: number;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

interface Group {
  readonly acts: readonly Waiting[];
  readonly bytes: number;
  /** The number of the check at which its writing began. */
  readonly since: number;
}

const GROUP_ACTS_MAX = 256;
const GATHER_TURNS_MAX = 8;
const GROUP_BYTES_MAX = 16 * 1024 * 1024;
const WAITING_ACTS_MAX = 5_000;
const WAITING_BYTES_MAX = 160 * 1024 * 1024;
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
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  #waiting: Waiting[] = [];
  readonly #underWay = new Set<Group>();
  #waitingBytes = 0;
  #waitingRows = 0;
  #checks = 0;
  /** The number of the check at which a group was last written. */
  #confirmedAt = 0;
  #isWatched = false;
  #isDiskFull = false;
  #scheduled = false;
  #idle: (() => void)[] = [];

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  submit<A extends Act>(act: A): Promise<AnswerOf<A>> {
    const bytes = bodyBytesOf(act);
    if (isNewWork(act) && this.#isFull(bytes)) {
      return Promise.reject(new Problem("overloaded", "the store is busy; try again", 1));
    }
    return new Promise((resolve, reject) => {
      const rows = rowsOf(act);
      this.#waiting.push({ act, bytes, rows, since: this.#checks, resolve, reject });
      this.#waitingBytes += bytes;
      this.#waitingRows += rows;
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

  drain(): Promise<void> {
    if (this.#underWay.size === 0 && this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #isFull(bytes: number): boolean {
    return (
      this.#waiting.length >= WAITING_ACTS_MAX || this.#waitingBytes + bytes > WAITING_BYTES_MAX
    );
  }

  /** A group begins when the event loop has handled the requests that have arrived. */
  #schedule(): void {
    if (this.#scheduled || !this.#mayStart()) return;
    this.#scheduled = true;
    void this.#gather();
  }

  /** Waits for as long as each turn of the event loop brings more acts: each group costs a commit. */
  async #gather(): Promise<void> {
    for (let turn = 0; turn < GATHER_TURNS_MAX; turn++) {
      const count = this.#waiting.length;
      await nextTurn();
      const { length } = this.#waiting;
      if (length <= count || length >= GROUP_ACTS_MAX) break;
    }
    this.#scheduled = false;
    await this.#writeGroup();
  }

  /** A few large groups cost less than many small ones, so another one needs enough rows. */
  #mayStart(): boolean {
    if (this.#underWay.size === 0) return true;
    const { groupsMax, rowsWorthAGroup } = this.#options;
    return this.#underWay.size < groupsMax && this.#waitingRows >= rowsWorthAGroup;
  }

  async #writeGroup(): Promise<void> {
    const group = this.#takeGroup();
    const { acts } = group;
    // What waited may have been refused before its group began.
    if (acts.length === 0) return this.#goOn();
    this.#underWay.add(group);
    try {
      const results = await this.#options.write(acts.map(({ act }) => act));
      if (results.some(({ ok }) => ok)) this.#confirmedAt = this.#checks;
      acts.forEach(({ resolve, reject }, index) => {
        const result = results[index];
        this.#isDiskFull = isDiskFull(result);
        if (result?.ok) resolve(result.answer as never);
        else reject(result?.error);
      });
    } catch (error) {
      for (const { reject } of acts) reject(error);
    }
    this.#underWay.delete(group);
    this.#goOn();
  }

  #goOn(): void {
    if (this.#waiting.length > 0) this.#schedule();
    else if (this.#underWay.size === 0) for (const done of this.#idle.splice(0)) done();
  }

  /** Checks every second, while any act waits, for callers that have waited too long. */
  #watch(): void {
    const { clock } = this.#options;
    if (clock === undefined || this.#isWatched) return;
    this.#isWatched = true;
    clock.after(CHECK_MS, () => {
      this.#isWatched = false;
      this.#checks += 1;
      this.#refuseLate();
      if (this.#underWay.size > 0 || this.#waiting.length > 0) this.#watch();
    });
  }

  #refuseLate(): void {
    for (const { acts, bytes, since } of this.#underWay) {
      if (this.#checks - since < CHECKS_MAX + Math.floor(bytes / BYTES_PER_CHECK)) continue;
      for (const { act, reject } of acts) {
        if (isCallers(act)) reject(new StoreAway(NOT_CONFIRMED));
      }
    }
    // While groups are confirmed, a waiting act gets its turn, unless its caller waits too long.
    const isLate = ({ act, bytes, since }: Waiting): boolean =>
      isCallers(act) &&
      (this.#checks - Math.max(since, this.#confirmedAt) >= CHECKS_MAX ||
        this.#checks - since >= WAITING_CHECKS_MAX + Math.floor(bytes / BYTES_PER_CHECK));
    const late = this.#waiting.filter(isLate);
    if (late.length === 0) return;
    this.#waiting = this.#waiting.filter((waiting) => !isLate(waiting));
    for (const { bytes, rows, reject } of late) {
      this.#waitingBytes -= bytes;
      this.#waitingRows -= rows;
      reject(new Problem("overloaded", "the store is busy; try again", 1));
    }
  }

  #takeGroup(): Group {
    let bytes = 0;
    let rows = 0;
    let count = 0;
    for (const waiting of this.#waiting) {
      if (count === GROUP_ACTS_MAX || (count > 0 && bytes + waiting.bytes > GROUP_BYTES_MAX)) break;
      bytes += waiting.bytes;
      rows += waiting.rows;
      count += 1;
    }
    this.#waitingBytes -= bytes;
    this.#waitingRows -= rows;
    return { acts: this.#waiting.splice(0, count), bytes, since: this.#checks };
  }
}

function isDiskFull(result: ActResult | undefined): boolean {
  if (result === undefined || result.ok) return false;
  return result.error instanceof Problem && result.error.kind === "disk-low";
}

/** Completions are never refused: that would only make more work. Ticks were promised. */
function isNewWork(act: Act): boolean {
  return !COMPLETIONS.has(act.rule);
}

/**
 * Whether a caller of the API waits for the act. A workflow's endpoint appends; the engine does the
 * rest.
 */
function isCallers(act: Act): boolean {
  return isNewWork(act) || act.rule === "append";
}

const COMPLETIONS: ReadonlySet<Act["rule"]> = new Set([
  "settle",
  "hand-back",
  "tick",
  "append",
  "reply",
  "end-run",
  "time-out-wait",
]);

/** Roughly the number of messages, since a slow act is one of many messages. */
function rowsOf(act: Act): number {
  if (act.rule === "publish") return act.items.length;
  return act.rule === "tick" ? act.ticks.length : 1;
}
