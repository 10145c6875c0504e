import type { Page } from "../page.ts";
import { now, pause } from "../runtime.ts";
import type { ListOptions, LogFilter, Ordered } from "./filters.ts";
import type { LogEntry } from "./records.ts";

/** Reads a page of the log. */
type List = (
  query: LogFilter & ListOptions & Ordered,
  options: { signal: AbortSignal | undefined },
) => Promise<Page<LogEntry>>;

/**
 * The log as it grows. Several nodes write it, so that an entry may come to light after others
 * that stand behind it: what was read lately is read again, and what was told is not told twice.
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

/** Goes from a place at which the log is whole to its end, over and over. */
class Walk {
  /** Where the log is whole; undefined at its beginning. */
  #start: string | undefined;
  /** Places behind the start, and when they were first seen. */
  #places = new Map<string, number>();
  /** Everything that the walk before has met, and how often. */
  #told: ReadonlyMap<string, number>;

  /** From behind the newest entry of all. */
  constructor(newest: Page<LogEntry>) {
    this.#start = newest.cursor;
    this.#told = new Map(newest.items.map((entry) => [JSON.stringify(entry), 1]));
  }

  async *again(
    read: (page: ListOptions & Ordered) => Promise<Page<LogEntry>>,
  ): AsyncGenerator<LogEntry, void> {
    const met = new Map<string, number>();
    const places = new Map<string, number>();
    let cursor = this.#start;
    do {
      const page = await read({ count: PAGE_COUNT, order: "earliestFirst", cursor });
      for (const entry of page.items) {
        const text = JSON.stringify(entry);
        const times = (met.get(text) ?? 0) + 1;
        met.set(text, times);
        if (times > (this.#told.get(text) ?? 0)) yield entry;
      }
      ({ cursor } = page);
      if (cursor !== undefined) places.set(cursor, this.#places.get(cursor) ?? now());
    } while (cursor !== undefined);
    this.#told = met;
    this.#advance(places);
  }

  /** Whatever stands before a place that was seen long ago has come to light by now. */
  #advance(places: Map<string, number>): void {
    for (const [place, seenAt] of places) {
      if (seenAt > now() - LATE_MS) break;
      this.#start = place;
      places.delete(place);
    }
    this.#places = places;
  }
}

const PAUSE_MS = 1_000;
const PAGE_COUNT = 100;
/** No node takes longer than this to write what it has begun to write. */
const LATE_MS = 10_000;
