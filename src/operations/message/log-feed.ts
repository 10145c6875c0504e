import type { Account } from "../../core/model/account/account.ts";
import type { MessageReader } from "../../store/reader/messages.ts";
import type { DerivedKeys } from "../../platform/secret-box.ts";
import { logEntryJson } from "../../wire/message/message.ts";
import { writeLogEvent } from "../../wire/message/stream-event.ts";
import type { LogEnd } from "../../store/reader/upkeep.ts";

/** A log entry as it is sent. */
export interface FeedEntry {
  readonly number: number;
  /** The event, made once for all streams. */
  readonly text: string;
}

/** Entries of an account's log after a position, and the position up to which they are all. */
export interface FeedPage {
  readonly entries: readonly FeedEntry[];
  readonly upTo: number;
}

export interface FeedSource {
  readonly messages: Pick<MessageReader, "log">;
  /** The first of them seals the ids of events. */
  readonly cursorSecrets: () => DerivedKeys;
}

/** Reads entries after a position that have settled. */
export async function readFeed(
  { messages, cursorSecrets }: FeedSource,
  { accountId, limits }: Account,
  after: number,
  settled: number,
): Promise<FeedPage> {
  const { items, next } = await messages.log(
    accountId,
    {},
    {
      after: String(after),
      count: PAGE_COUNT,
      order: "earliestFirst",
      bodyBytesMax: limits.eventBytesMax,
    },
  );
  const isLast = next === null || items.some(({ number }) => number > settled);
  const [cursorSecret] = cursorSecrets();
  const entries: FeedEntry[] = [];
  let bytes = 0;
  for (const logged of items) {
    if (logged.number > settled) break;
    // The rest is read again, once these are sent.
    if (bytes > PAGE_BYTES_MAX) return { entries, upTo: entries.at(-1)!.number };
    const { number } = logged;
    const entry = { number, text: writeLogEvent(cursorSecret, number, logEntryJson(logged)) };
    entries.push(entry);
    bytes += entry.text.length;
  }
  return { entries, upTo: isLast ? Math.max(after, settled) : Math.min(Number(next), settled) };
}

/** The newest entries of an account's log, for all its streams. It keeps a bounded number. */
export class LogFeed {
  readonly #entries: FeedEntry[] = [];
  #bytes = 0;
  #dropped = 0;
  #start: number;
  #end: number;

  constructor(position: number) {
    this.#start = position;
    this.#end = position;
  }

  /** Nothing after this position has been dropped. */
  get start(): number {
    return this.#start;
  }

  /** It was read up to here. */
  get end(): number {
    return this.#end;
  }

  /** How many entries it has had. */
  get count(): number {
    return this.#dropped + this.#entries.length;
  }

  /** How many of its entries a reader has behind it who is at a position. */
  countUpTo(position: number): number {
    const left = this.#entries.findIndex(({ number }) => number > position);
    return this.#dropped + (left === -1 ? this.#entries.length : left);
  }

  /** The entries of the page stay until the next one: a reader who is at the end has them. */
  add({ entries, upTo }: FeedPage): void {
    for (const entry of entries) {
      this.#entries.push(entry);
      this.#bytes += entry.text.length;
    }
    this.#end = upTo;
    while (this.#entries.length > entries.length && this.#isTooLarge()) {
      const { number, text } = this.#entries.shift()!;
      this.#bytes -= text.length;
      this.#dropped += 1;
      this.#start = number;
    }
  }

  /** Entries for a reader who has had so many, and how many of them have been dropped. */
  take(had: number): { readonly entries: readonly FeedEntry[]; readonly skipped: number } {
    const skipped = Math.max(0, this.#dropped - had);
    const from = had + skipped - this.#dropped;
    return { entries: this.#entries.slice(from, from + PAGE_COUNT), skipped };
  }

  #isTooLarge(): boolean {
    return this.#bytes > BYTES_MAX || this.#entries.length > ENTRIES_MAX;
  }
}

const PAGE_COUNT = 50;
const ENTRIES_MAX = 500;
const PAGE_BYTES_MAX = 128 * 1024;
const BYTES_MAX = 256 * 1024;

interface Observed {
  readonly number: number;
  readonly atMs: number;
  /** Transactions that began later took greater numbers; null until the next observation. */
  before: number | null;
}

/**
 * Up to where the log is complete. With several writers a transaction may commit entries whose
 * numbers are smaller than those that are visible already. So a number counts as settled when every
 * transaction has ended that was under way at a later observation: one that began after that took
 * greater numbers. (The later one, since a transaction takes a number of the log shortly before it
 * gets its own.)
 */
export class SettledLog {
  readonly #observed: Observed[] = [];
  #settled: number | null = null;

  /** Null until the first number is settled. */
  get number(): number | null {
    return this.#settled;
  }

  observe({ number, writes }: LogEnd, nowMs: number): void {
    if (writes === null) {
      this.#settled = number;
      return;
    }
    for (const each of this.#observed) each.before ??= writes.next;
    const isSettled = ({ before, atMs }: Observed): boolean =>
      (before !== null && before <= writes.oldest) || nowMs - atMs > UNSETTLED_MS_MAX;
    const last = this.#observed.findLastIndex(isSettled);
    for (const each of this.#observed.splice(0, last + 1)) this.#settled = each.number;
    const newest = this.#observed.at(-1)?.number ?? this.#settled ?? -1;
    if (number > newest) this.#observed.push({ number, atMs: nowMs, before: null });
  }
}

/** Far longer than the server lets a transaction of the service run. */
const UNSETTLED_MS_MAX = 120_000;
