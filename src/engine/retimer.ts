import type { Tick } from "../core/rules/schedule/schedules.ts";
import type { Schedule } from "../core/model/schedule/schedule.ts";
import { retimed } from "../core/rules/schedule/ticks.ts";
import { BEFORE_FIRST_SCHEDULE, type ScheduleCursor } from "../store/reader/schedules.ts";
import type { Chore } from "./chore.ts";
import type { EngineOptions } from "./engine-options.ts";

const ROUND_MS = 3_600_000;
const PAGE_COUNT = 500;
/** Between two pages, so that other writers get a turn. */
const PAGE_PAUSE_MS = 20;

/**
 * Checks at the start, every hour and after a clock step whether the next instant of a schedule is
 * later than it should be, since a clock that was ahead for a while has moved it. Such schedules
 * fire by the clock's present time again.
 */
export class Retimer implements Chore {
  readonly failure = "the times of schedules could not be checked";
  readonly #options: EngineOptions;
  #position: ScheduleCursor | null = null;
  /** How far the clock is ahead of where it would be without its steps. */
  #aheadMs = 0;
  /** The clock was ahead and came back, and this round corrects that. */
  #wasAhead = false;
  #steps = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** A clock that came back has skipped ticks; those before its jump ahead were fired. */
  stepped(ms: number): void {
    if (ms < 0 && this.#aheadMs > 0) this.#wasAhead = true;
    this.#aheadMs = Math.max(0, this.#aheadMs + ms);
    this.#position = null;
    this.#steps += 1;
  }

  /** Checks one page. */
  async runOnce(): Promise<number> {
    const { store, log, tickBell } = this.#options;
    const at = this.#options.clock.now();
    const from = this.#position ?? { ...BEFORE_FIRST_SCHEDULE, nextAt: at };
    const [wasAhead, steps] = [this.#wasAhead, this.#steps];
    const page = await store.reader.schedules.later(from, PAGE_COUNT);
    const ticks = page.flatMap((schedule) => retimedTick(schedule, at, wasAhead));
    if (ticks.length > 0) {
      await store.act({ rule: "tick", at, ticks });
      log.warn("schedules were set to fire too late; their next times are corrected", {
        count: ticks.length,
      });
      tickBell.ring();
    }
    // The round that a step requests starts at the first page.
    if (steps !== this.#steps) return 0;
    const last = page.at(-1);
    const isMore = last !== undefined && page.length === PAGE_COUNT;
    this.#position = isMore ? { ...last, nextAt: last.nextAt ?? at } : null;
    if (isMore) return PAGE_PAUSE_MS;
    this.#wasAhead = false;
    return ROUND_MS;
  }
}

function retimedTick(schedule: Schedule, now: number, wasAhead: boolean): Tick[] {
  const { accountId, scheduleId, version, cron, nextAt: dueAt } = schedule;
  const nextAt = dueAt === null ? null : retimed(cron, dueAt, now, wasAhead);
  if (dueAt === null || nextAt === null) return [];
  return [{ accountId, scheduleId, version, dueAt, nextAt, fired: null }];
}
