import { type Act, type AnswerOf, bodiesOf } from "../core/act.ts";
import { Problem } from "../core/problem.ts";
import type { ActResult } from "./run-group.ts";

export interface GroupCommitOptions {
  /** Writes a group in one transaction and says how each act ended. */
  readonly write: (acts: readonly Act[]) => Promise<readonly ActResult[]>;
  /** Groups under way at once, when enough waits to fill them. */
  readonly groupsMax: number;
  /** So many rows wait to be written that a further group is started beside those under way. */
  readonly rowsWorthAGroup: number;
}

interface Waiting {
  readonly act: Act;
  readonly bytes: number;
  readonly rows: number;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

const GROUP_ACTS_MAX = 256;
const GROUP_BYTES_MAX = 16 * 1024 * 1024;
const WAITING_ACTS_MAX = 5_000;
const WAITING_BYTES_MAX = 160 * 1024 * 1024;

/**
 * Gathers the acts of concurrent callers into groups: while one is being written the next one
 * fills. What waits is bounded; beyond that, new work is refused and work under way is not.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  readonly #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #waitingRows = 0;
  #groups = 0;
  #scheduled = false;
  #idle: (() => void)[] = [];

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  submit<A extends Act>(act: A): Promise<AnswerOf<A>> {
    const bytes = bytesOf(act);
    if (isNewWork(act) && this.#isFull(bytes)) {
      return Promise.reject(new Problem("overloaded", "the store is busy; try again", 1));
    }
    return new Promise((resolve, reject) => {
      const rows = rowsOf(act);
      this.#waiting.push({ act, bytes, rows, resolve, reject });
      this.#waitingBytes += bytes;
      this.#waitingRows += rows;
      this.#schedule();
    });
  }

  /** Resolves when nothing waits and nothing is being written. */
  drain(): Promise<void> {
    if (this.#groups === 0 && this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #isFull(bytes: number): boolean {
    return (
      this.#waiting.length >= WAITING_ACTS_MAX || this.#waitingBytes + bytes > WAITING_BYTES_MAX
    );
  }

  /** A group begins in the next turn, so that what arrives in this one goes along. */
  #schedule(): void {
    if (this.#scheduled || !this.#mayStart()) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      void this.#writeGroup();
    });
  }

  /** A few large groups cost less than many small ones: another one starts when it is worth it. */
  #mayStart(): boolean {
    if (this.#groups === 0) return true;
    const { groupsMax, rowsWorthAGroup } = this.#options;
    return this.#groups < groupsMax && this.#waitingRows >= rowsWorthAGroup;
  }

  async #writeGroup(): Promise<void> {
    const group = this.#takeGroup();
    if (group.length === 0) return;
    this.#groups += 1;
    try {
      const results = await this.#options.write(group.map(({ act }) => act));
      group.forEach(({ resolve, reject }, place) => {
        const result = results[place];
        if (result?.ok) resolve(result.answer as never);
        else reject(result?.error);
      });
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    this.#groups -= 1;
    if (this.#waiting.length > 0) this.#schedule();
    else if (this.#groups === 0) for (const done of this.#idle.splice(0)) done();
  }

  #takeGroup(): Waiting[] {
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
    return this.#waiting.splice(0, count);
  }
}

/** Completions are never shed: refusing them would only make more work. Ticks were promised. */
function isNewWork(act: Act): boolean {
  return !COMPLETIONS.has(act.rule);
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

/** Messages, roughly: what takes long to write is made of many. */
function rowsOf(act: Act): number {
  if (act.rule === "publish") return act.items.length;
  return act.rule === "tick" ? act.ticks.length : 1;
}

function bytesOf(act: Act): number {
  let bytes = 0;
  for (const body of bodiesOf(act)) bytes += body.byteLength;
  return bytes;
}
