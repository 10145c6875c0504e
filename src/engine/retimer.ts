import type { Tick } from "../core/acts/schedules.ts";
import type { Schedule } from "../core/model/schedule.ts";
import { retimed } from "../core/rules/ticks.ts";
import { FIRST_PLACE, type SchedulePlace } from "../store/reader.ts";
import type { Chore } from "./chore.ts";
import type { EngineOptions } from "./engine-options.ts";

const ROUND_MS = 3_600_000;
const PAGE_COUNT = 500;
/** Between two pages, so that others come to write. */
const PAGE_PAUSE_MS = 20;

/**
 * Looks, at the start and every hour, for schedules whose next instant is later than it should be:
 * a clock that was ahead for a while has moved them on. They fire again as the clock now says.
 */
export class Retimer implements Chore {
  readonly failure = "schedules could not be looked through";
  readonly #options: EngineOptions;
  #place: SchedulePlace | null = null;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** Looks at one page. */
  async runOnce(): Promise<number> {
    const { store, log, tickBell } = this.#options;
    const at = this.#options.clock.now();
    const from = this.#place ?? { ...FIRST_PLACE, nextAt: at };
    const page = await store.reader.laterSchedules(from, PAGE_COUNT);
    const ticks = page.flatMap((schedule) => retimedTick(schedule, at));
    if (ticks.length > 0) {
      await store.act({ rule: "tick", at, ticks });
      log.warn("schedules were set to fire later than they should", { count: ticks.length });
      tickBell.ring();
    }
    const last = page.at(-1);
    const isMore = last !== undefined && page.length === PAGE_COUNT;
    this.#place = isMore ? { ...last, nextAt: last.nextAt ?? at } : null;
    return isMore ? PAGE_PAUSE_MS : ROUND_MS;
  }
}

function retimedTick(schedule: Schedule, now: number): Tick[] {
  const { accountId, scheduleId, version, cron, nextAt: dueAt } = schedule;
  const nextAt = dueAt === null ? null : retimed(cron, dueAt, now);
  if (dueAt === null || nextAt === null) return [];
  return [{ accountId, scheduleId, version, dueAt, nextAt, fired: null }];
}
