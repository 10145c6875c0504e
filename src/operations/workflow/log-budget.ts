import { PAGE_BYTES_MAX } from "../../store/reader/page.ts";
import type { StoredRun } from "../../store/reader/runs.ts";

/**
 * How much a page of the log of runs may still show and read. What is shown of a run can be far less
 * than what is stored of it, where bodies are left out; both are bounded, each by its own limit.
 */
export class LogBudget {
  #runs = 0;
  #rounds = 0;
  #readBytes = 0;
  #shownBytes = 0;

  /** A run was read from the store. */
  read({ state, response }: StoredRun): void {
    this.#runs += 1;
    this.#readBytes += state.bytes + (response?.byteLength ?? 0);
  }

  /** A run or event is part of the page. */
  show<Shown>(shown: Shown): Shown {
    this.#shownBytes += jsonSize(shown);
    return shown;
  }

  /**
   * Whether to read on after the store gave so many of the runs that it was asked for. It gives
   * fewer when the next run does not fit beside them, or when it has read enough rows; one that found
   * none has.
   */
  hasRoomAfter(found: number, asked: number): boolean {
    this.#rounds += 1;
    if (this.#runs >= RUNS_READ_MAX || this.#readBytes >= READ_BYTES_MAX) return false;
    if (found === asked) return this.#shownBytes < PAGE_BYTES_MAX / 2;
    // The next run may be as large as a page.
    const isSmall = this.#shownBytes < PAGE_BYTES_MAX / 8;
    return found > 0 && isSmall && this.#rounds < SHORT_ROUNDS_MAX;
  }
}

/** A list reads at most this many runs, then returns what it found and a cursor. */
const RUNS_READ_MAX = 1_000;
/** Stored bytes that one list reads, and the run with which it passes them. */
const READ_BYTES_MAX = 4 * PAGE_BYTES_MAX;
const SHORT_ROUNDS_MAX = 20;

/** About how many characters a value takes as JSON, without writing it. */
function jsonSize(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return value === undefined ? 0 : 8;
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + jsonSize(each) + 1, 2);
  let size = 2;
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) size += name.length + 4 + jsonSize(member);
  }
  return size;
}
