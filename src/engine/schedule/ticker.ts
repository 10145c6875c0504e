import type { Tick } from "../../core/rules/schedule/schedules.ts";
import type { Instant } from "../../core/model/time.ts";
import { Problem } from "../../core/problem.ts";
import {
  BEFORE_FIRST_SCHEDULE,
  type ScheduleCursor,
  type StoredSchedule,
} from "../../store/reader/schedules.ts";
import type { Chore } from "../chore.ts";
import type { EngineOptions } from "../engine-options.ts";
import { TickMaker } from "./tick-maker.ts";
import { waitMsUntil } from "../wait-until.ts";

const PAGE_COUNT = 500;
const PAGE_BYTES = 4 * 1024 * 1024;
/** The wall clock may be set, and other nodes may have created schedules meanwhile. */
const POLL_MS = 1_000;

/**
 * Fires schedules when they are due. Several nodes may try the same tick: only one of them stores
 * its messages, together with the schedule's next instant.
 */
export class Ticker implements Chore {
  readonly failure = "schedules could not fire";
  readonly #options: EngineOptions;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** Fires due schedules. Returns how long to wait until the next. */
  async runOnce(): Promise<number> {
    const { reader } = this.#options.store;
    let due = await this.#due(BEFORE_FIRST_SCHEDULE);
    let writing: Promise<void> = Promise.resolve();
    // The next page is read and composed while the last one is written.
    while (due.length > 0) {
      const now = this.#options.clock.now();
      const maker = new TickMaker(this.#options, now);
      const ticks = await Promise.all(due.map((stored) => maker.make(stored)));
      await writing;
      writing = this.#write(ticks, now);
      // It is awaited below; until then its failure must not count as unhandled.
      writing.catch(() => undefined);
      due = await this.#due(cursorAt(due.at(-1)!));
    }
    await writing;
    return waitMsUntil(await reader.schedules.nextAt(), this.#options.clock.now(), POLL_MS);
  }

  #due(after: ScheduleCursor): Promise<readonly StoredSchedule[]> {
    const { reader } = this.#options.store;
    return reader.schedules.due(this.#options.clock.now(), after, PAGE_COUNT, PAGE_BYTES);
  }

  /** A tick that cannot be written must not hold up the others. */
  async #write(ticks: readonly Tick[], at: Instant): Promise<void> {
    try {
      await this.#act(ticks, at);
    } catch (error) {
      if (error instanceof Problem) throw error;
      for (const tick of ticks) await this.#writeAlone(tick, at);
    }
  }

  async #writeAlone(tick: Tick, at: Instant): Promise<void> {
    const { accountId, scheduleId } = tick;
    try {
      await this.#act([tick], at);
    } catch (error) {
      if (error instanceof Problem) throw error;
      this.#options.log.error("a tick of a schedule could not be stored", {
        accountId,
        scheduleId,
        error,
      });
      await this.#act([{ ...tick, fired: { messages: [], error: NOT_STORED } }], at);
    }
  }

  async #act(ticks: readonly Tick[], at: Instant): Promise<void> {
    const { store, log, bell } = this.#options;
    const answers = await store.act({ rule: "tick", at, ticks });
    bell.ring();
    for (const [index, { accountId, scheduleId, fired }] of ticks.entries()) {
      if (answers[index] !== "fired" || fired === null) continue;
      const { skipped, error } = fired;
      if (skipped) log.warn("schedule skipped ticks", { accountId, scheduleId, ...skipped });
      if (error !== undefined) log.warn("schedule made nothing", { accountId, scheduleId, error });
    }
  }
}

function cursorAt({ schedule }: StoredSchedule): ScheduleCursor {
  return { ...schedule, nextAt: schedule.nextAt ?? 0 };
}

const NOT_STORED = "the messages could not be stored";
