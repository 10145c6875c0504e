import { statSync } from "node:fs";
import { Problem } from "../../../core/problem.ts";
import { systemClock } from "../../../platform/clock.ts";
import type { Log } from "../../../platform/log.ts";

/**
 * Knows whether the database is still under its name. An open file goes on working after it was
 * removed, and what is written to it is gone when the process ends.
 */
export class FileWatch {
  readonly #path: string;
  readonly #log: Log | undefined;
  #goneSince: number | null = null;
  #isLogged = false;

  constructor(path: string, log: Log | undefined) {
    this.#path = path;
    this.#log = log;
  }

  get isGone(): boolean {
    return this.#goneSince !== null;
  }

  look(): void {
    if (isThere(this.#path)) {
      if (this.#isLogged) this.#log?.warn("the database file is back", { path: this.#path });
      this.#goneSince = null;
      this.#isLogged = false;
      return;
    }
    const now = systemClock.monotonic();
    this.#goneSince ??= now;
    // A process whose data was moved to another store finds this too, and ends at once.
    if (this.#isLogged || now - this.#goneSince < LOGGED_AFTER_MS) return;
    this.#isLogged = true;
    this.#log?.error("the database file is gone, nothing new is accepted", { path: this.#path });
  }
}

export function fileGone(): Problem {
  return new Problem("overloaded", "the database file is gone, so nothing is accepted", 5);
}

function isThere(path: string): boolean {
  if (path === IN_MEMORY) return true;
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // It may be there all the same.
    return true;
  }
}

const IN_MEMORY = ":memory:";
const LOGGED_AFTER_MS = 3_000;
