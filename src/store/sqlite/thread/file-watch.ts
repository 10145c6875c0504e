import { statSync } from "node:fs";
import { Problem } from "../../../core/problem.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Log } from "../../../platform/log.ts";

/**
 * Knows whether the database is still under its name. An open file continues to work after it was
 * removed or replaced, and what is written to it is gone when the process ends.
 */
export class FileWatch {
  readonly #path: string;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #log: Log | undefined;
  /** Of the file that this process has open. */
  readonly #inode: number | null;
  #goneSince: number | null = null;
  #isLogged = false;

  constructor(path: string, clock: Pick<Clock, "monotonic">, log: Log | undefined) {
    this.#path = path;
    this.#clock = clock;
    this.#log = log;
    this.#inode = inodeAt(path);
  }

  get isGone(): boolean {
    return this.#goneSince !== null;
  }

  look(): void {
    if (this.#isThere()) {
      if (this.#isLogged) this.#log?.warn("the database file is back", { path: this.#path });
      this.#goneSince = null;
      this.#isLogged = false;
      return;
    }
    const now = this.#clock.monotonic();
    this.#goneSince ??= now;
    // A process whose data was moved to another store finds this too, and ends at once.
    if (this.#isLogged || now - this.#goneSince < LOGGED_AFTER_MS) return;
    this.#isLogged = true;
    this.#log?.error("the database file is gone, nothing new is accepted", { path: this.#path });
  }

  #isThere(): boolean {
    try {
      return inodeAt(this.#path) === this.#inode;
    } catch {
      // A file whose folder cannot be read now may be there all the same.
      return true;
    }
  }
}

export function fileGone(): Problem {
  return new Problem("overloaded", "the database file is gone, so nothing is accepted", 5);
}

/** Null where there is no file, as of a database in memory. */
function inodeAt(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? null;
}

const LOGGED_AFTER_MS = 3_000;
