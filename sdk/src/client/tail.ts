import type { Page } from "../page.ts";
import { now, pause } from "../runtime.ts";
import type { ListOptions, LogFilter, Ordered } from "./filters.ts";
import type { LogEntry } from "../answers/message.ts";

/** Reads a page of the log. */
type List = (
  query: LogFilter & ListOptions & Ordered,
  options: { signal: AbortSignal | undefined },
) => Promise<Page<LogEntry>>;

/**
 * The log as it grows. Several nodes write it, so an entry may become visible after newer ones:
 * recent pages are read again, and no entry is returned twice.
 */
export async function* follow(
  list: List,
  filter: LogFilter,
  signal: AbortSignal | undefined,
): AsyncGenerator<LogEntry, void> {
  try {
    const walk = new Walk(await list({ count: 1 }, { signal }));
    for (;;) {
      yield* walk.again((page) => list({ ...filter, ...page }, { signal }));
      await pause(PAUSE_MS, signal);
      signal?.throwIfAborted();
    }
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  }
}

/** Reads from a position before which the log is complete to its end, repeatedly. */
class Walk {
  /** The position before which the log is complete; undefined at its beginning. */
  #start: string | undefined;
  /** Cursors after the start, and when they were first seen. */
  #cursors = new Map<string, number>();
  /** All entries of the last walk, with their counts. */
  #returned: ReadonlyMap<string, number>;

  /** Starts after the newest entry. */
  constructor(newest: Page<LogEntry>) {
    this.#start = newest.cursor;
    this.#returned = new Map(newest.items.map((entry) => [JSON.stringify(entry), 1]));
  }

  async *again(
    read: (page: ListOptions & Ordered) => Promise<Page<LogEntry>>,
  ): AsyncGenerator<LogEntry, void> {
    const met = new Map<string, number>();
    const cursors = new Map<string, number>();
    let cursor = this.#start;
    do {
      const page = await read({ count: PAGE_COUNT, order: "earliestFirst", cursor });
      for (const entry of page.items) {
        const text = JSON.stringify(entry);
        const times = (met.get(text) ?? 0) + 1;
        met.set(text, times);
        if (times > (this.#returned.get(text) ?? 0)) yield entry;
      }
      ({ cursor } = page);
      if (cursor !== undefined) cursors.set(cursor, this.#cursors.get(cursor) ?? now());
    } while (cursor !== undefined);
    this.#returned = met;
    this.#advance(cursors);
  }

  /** All entries before a cursor that was seen long ago are visible by now. */
  #advance(cursors: Map<string, number>): void {
    for (const [cursor, seenAt] of cursors) {
      if (seenAt > now() - LATE_MS) break;
      this.#start = cursor;
      cursors.delete(cursor);
    }
    this.#cursors = cursors;
  }
}

const PAUSE_MS = 1_000;
const PAGE_COUNT = 100;
/** No node takes longer than this to write an entry. */
const LATE_MS = 10_000;
