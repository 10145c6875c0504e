import type { Instant } from "../../model/time.ts";

/** A time during which a zone has one offset. Two neighbors may have the same. */
export interface Stretch {
  readonly from: Instant;
  readonly until: Instant;
  /** Added to an instant, it gives the wall clock's time. */
  readonly offsetMs: number;
}

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
/** Offsets are read in blocks, and cached. */
const BLOCK_MS = 32 * DAY_MS;
const BLOCKS_KEPT_MAX = 400;
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;
const OFFSET = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/;

const known = new Map<string, TimeZone>();

/** The zone of that IANA name, in any letter case; null when there is none. */
export function timeZone(name: string): TimeZone | null {
  const key = name.toLowerCase();
  const before = known.get(key);
  if (before !== undefined) return before;
  if (!NAME.test(name)) return null;
  try {
    const zone = new TimeZone(name);
    known.set(key, zone);
    return zone;
  } catch {
    return null;
  }
}

/** The offsets of one zone, as the platform's zone data has them. */
export class TimeZone {
  readonly #format: Intl.DateTimeFormat;
  readonly #blocks = new Map<number, readonly Stretch[]>();

  constructor(name: string) {
    this.#format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      timeZoneName: "longOffset",
    });
  }

  stretchAt(at: Instant): Stretch {
    const block = Math.floor(at / BLOCK_MS);
    let stretches = this.#blocks.get(block);
    if (stretches === undefined) {
      if (this.#blocks.size >= BLOCKS_KEPT_MAX) this.#blocks.clear();
      stretches = this.#readBlock(block * BLOCK_MS);
      this.#blocks.set(block, stretches);
    }
    return stretches.find(({ until }) => at < until)!;
  }

  /** No zone changes twice within a day, so one reading a day misses no change. */
  #readBlock(start: Instant): Stretch[] {
    const stretches: Stretch[] = [];
    let from = start;
    let offsetMs = this.#offsetAt(start);
    for (let at = start; at < start + BLOCK_MS; at += DAY_MS) {
      const offsetAfter = this.#offsetAt(at + DAY_MS);
      if (offsetAfter === offsetMs) continue;
      const until = this.#changeBetween(at, at + DAY_MS, offsetMs);
      stretches.push({ from, until, offsetMs });
      from = until;
      offsetMs = offsetAfter;
    }
    return [...stretches, { from, until: start + BLOCK_MS, offsetMs }];
  }

  /** The first instant at which the offset is no longer the one before. */
  #changeBetween(before: Instant, after: Instant, offsetBefore: number): Instant {
    let low = before / SECOND_MS;
    let high = after / SECOND_MS;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#offsetAt(middle * SECOND_MS) === offsetBefore) low = middle;
      else high = middle;
    }
    return high * SECOND_MS;
  }

  #offsetAt(at: Instant): number {
    const [, sign, hours, minutes, seconds] = OFFSET.exec(this.#format.format(at)) ?? [];
    if (sign === undefined) return 0;
    const total = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds ?? 0);
    return (sign === "-" ? -total : total) * SECOND_MS;
  }
}
