import type { ScheduleKey } from "../core/model/schedule/schedule.ts";
import type { Instant } from "../core/model/time.ts";
import { Problem } from "../core/problem.ts";
import { type Clock, systemClock } from "../platform/clock.ts";
import type { LeapingClock } from "../platform/leaping-clock.ts";
import type { Agenda } from "../store/reader/upkeep.ts";
import type { Store } from "../store/store.ts";
import type { LEAP, LeapRequest } from "../wire/clock.ts";
import type { TypeOf } from "../wire/json/schema.ts";
import { listNodes } from "./account/service.ts";
import type { Context } from "./context.ts";
import { requireSchedule } from "./schedule/schedules.ts";

/** What one leap may cost. */
export interface LeapBounds {
  /** How often schedules fire on the way; ticks between are missed, as after a downtime. */
  readonly ticksMax: number;
  /** Instants at which the clock stops on the way, and milliseconds of the machine's clock in all. */
  readonly stopsMax: number;
  readonly leapMsMax: number;
  /** Milliseconds of the machine's clock that each stop waits for what is due and under way. */
  readonly stopMsMax: number;
  /** A stop at which not everything was done in time is the last one, and the clock stays there. */
  readonly endsUnsettled?: boolean;
}

export interface Leap {
  /** Nothing is under way or due. */
  readonly isSettled: boolean;
}

/**
 * The clock of dev, which a person puts forward. It stops at each instant at which something is due,
 * until that is done, so that a retry follows the attempt that made it, at its time.
 */
export class VirtualClock {
  readonly #leaping: LeapingClock;
  readonly #store: Store;
  /** The machine's. */
  readonly #clock: Clock;
  #last: Promise<unknown> = Promise.resolve();

  constructor(leaping: LeapingClock, store: Store, machineClock: Clock = systemClock) {
    this.#leaping = leaping;
    this.#store = store;
    this.#clock = machineClock;
  }

  get aheadMs(): number {
    return this.#leaping.aheadMs;
  }

  get isAhead(): boolean {
    return this.#leaping.aheadMs > 0;
  }

  now(): Instant {
    return this.#store.clock.now();
  }

  /** One leap at a time. */
  advance(ms: number, bounds: LeapBounds = DEV_BOUNDS): Promise<Leap> {
    const leap = this.#last.then(() => this.#advance(ms, bounds));
    this.#last = leap.catch(() => undefined);
    return leap;
  }

  /** Puts the clock forward to an instant; one that has passed changes nothing. */
  advanceTo(instant: Instant, bounds?: LeapBounds): Promise<Leap> {
    return this.advance(Math.max(0, instant - this.now()), bounds);
  }

  /** Waits, for as long as the bounds allow, until nothing is under way or due. */
  async settle({ stopMsMax }: Pick<LeapBounds, "stopMsMax">): Promise<Leap> {
    return { isSettled: isDone(await this.#settled(stopMsMax)) };
  }

  async #advance(ms: number, bounds: LeapBounds): Promise<Leap> {
    await this.#requireAlone();
    let agenda = await this.#settled(bounds.stopMsMax);
    const aheadMs = this.aheadMs + ms;
    const giveUpAt = this.#clock.monotonic() + bounds.leapMsMax;
    let ticksFrom = -Infinity;
    for (let stops = 0; stops < bounds.stopsMax; stops++) {
      const tickAt = Math.max(agenda.tickAt ?? Infinity, ticksFrom);
      const at = Math.min(tickAt, this.#shown(agenda.workAt));
      const waitMs = Math.max(0, at - this.now());
      if (waitMs > aheadMs - this.aheadMs || this.#clock.monotonic() >= giveUpAt) break;
      if (tickAt <= at) ticksFrom = at + ms / bounds.ticksMax;
      this.#leaping.leap(waitMs);
      agenda = await this.#settled(bounds.stopMsMax);
      if (bounds.endsUnsettled === true && !isDone(agenda)) return { isSettled: false };
    }
    this.#leaping.leap(aheadMs - this.aheadMs);
    return { isSettled: isDone(await this.#settled(bounds.stopMsMax)) };
  }

  async #settled(patienceMs: number): Promise<Agenda> {
    const giveUpAt = this.#clock.monotonic() + patienceMs;
    for (;;) {
      const { now, aheadMs } = this.#store.clock.time();
      const agenda = await this.#store.reader.upkeep.agenda(now, now + aheadMs);
      if (isDone(agenda) || this.#clock.monotonic() >= giveUpAt) return agenda;
      await this.#clock.sleep(POLL_MS);
    }
  }

  /** An instant in due time as the clock shows it. */
  #shown(dueAt: Instant | null): Instant {
    return dueAt === null ? Infinity : dueAt - this.#store.clock.time().aheadMs;
  }

  /** Other nodes follow the clock of the database. */
  async #requireAlone(): Promise<void> {
    if (this.#store.isOnlyWriter) return;
    const live = (await listNodes(this.#store)).filter(({ isLive }) => isLive);
    if (live.length <= 1) return;
    throw new Problem(
      "not-alone",
      `the clock moves only while one node uses the database, and ${live.length} do`,
    );
  }
}

function isDone({ underWay, due }: Agenda): boolean {
  return underWay + due === 0;
}

/** Puts the clock forward as a person asks. */
export async function moveClock(
  context: Context,
  clock: VirtualClock,
  accountId: string,
  request: LeapRequest,
): Promise<TypeOf<typeof LEAP>> {
  const isDuration = "advanceMs" in request;
  const field = isDuration ? "advance" : "schedule";
  const from = clock.now();
  const until = isDuration
    ? from + request.advanceMs
    : await nextTickOf(context, { accountId, scheduleId: request.scheduleId });
  if (clock.aheadMs + until - from > AHEAD_MS_MAX) {
    throw new Problem("invalid-request", `${field}: ${TOO_FAR}`);
  }
  const before = clock.aheadMs;
  const { isSettled } = await (isDuration
    ? clock.advance(request.advanceMs)
    : clock.advanceTo(until));
  const { aheadMs } = clock;
  return { now: clock.now(), aheadMs, advancedMs: aheadMs - before, isSettled };
}

async function nextTickOf(context: Context, key: ScheduleKey): Promise<Instant> {
  const { nextAt, isPaused } = (await requireSchedule(context, key)).schedule;
  if (nextAt !== null && !isPaused) return nextAt;
  const reason = isPaused ? "is paused" : "does not fire again";
  throw new Problem("invalid-request", `schedule: ${reason}`);
}

/** A person waits for the answer, and the destinations are programs on a laptop. */
export const DEV_BOUNDS: LeapBounds = {
  ticksMax: 100,
  stopsMax: 1_000,
  leapMsMax: 20_000,
  stopMsMax: 2_000,
};
const AHEAD_DAYS_MAX = 3_650;
const AHEAD_MS_MAX = AHEAD_DAYS_MAX * 86_400_000;
const TOO_FAR = `the clock would be more than ${AHEAD_DAYS_MAX}d ahead of the machine's`;
const POLL_MS = 2;
