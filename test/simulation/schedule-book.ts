import type { Act } from "../../src/core/rules/registry.ts";
import type {
  PutScheduleAct,
  Tick,
  TickAct,
  TickAnswer,
} from "../../src/core/rules/schedule/schedules.ts";
import type { SkippedTicks } from "../../src/core/model/schedule/schedule.ts";
import { readCron } from "../../src/core/policy/cron/cron.ts";
import { SKIPPED_COUNTED_MAX } from "../../src/core/rules/schedule/ticks.ts";

/** A schedule as it should be. */
export interface KnownSchedule {
  readonly accountId: string;
  readonly scheduleId: string;
  readonly cron: string;
  readonly version: string;
  readonly isPaused: boolean;
  readonly nextAt: number | null;
}

/**
 * Reads along what is written about schedules, in the order in which it became true, and says what
 * should not have been written: each due instant is used up once, by a message or by a record.
 */
export class ScheduleBook {
  readonly violations: string[] = [];
  readonly schedules = new Map<string, KnownSchedule>();
  /** Messages that ticks have made. */
  readonly made = new Set<string>();
  readonly reached = { fired: 0, skipped: 0, tooOld: 0, paused: 0, void: 0 };
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  write(act: Act, answer: unknown): void {
    if (act.rule === "put-schedule") this.#put(act);
    if (act.rule === "remove-schedule") this.schedules.delete(keyOf(act.key));
    if (act.rule === "pause-schedule") {
      const known = this.schedules.get(keyOf(act.key));
      if (known === undefined || known.isPaused === act.isPaused) return;
      const nextAt = act.isPaused ? known.nextAt : readCron(known.cron).next(act.at);
      this.schedules.set(keyOf(act.key), { ...known, isPaused: act.isPaused, nextAt });
    }
    if (act.rule === "tick") {
      for (const [index, tick] of act.ticks.entries()) {
        this.#tick(act, tick, (answer as TickAnswer[])[index]!);
      }
    }
  }

  #put({ key, settings, at }: PutScheduleAct): void {
    const { cron, version } = settings;
    const isPaused = this.schedules.get(keyOf(key))?.isPaused ?? false;
    const nextAt = readCron(cron).next(at);
    this.schedules.set(keyOf(key), { ...key, cron, version, isPaused, nextAt });
  }

  #tick({ at }: TickAct, tick: Tick, answer: TickAnswer): void {
    const known = this.schedules.get(keyOf(tick));
    const isGood = known?.version === tick.version && known.nextAt === tick.dueAt;
    const say = (what: string): void => {
      this.violations.push(`${keyOf(tick)} ${what}, due ${tick.dueAt}, at ${at}`);
    };
    if (known === undefined || !isGood) {
      if (answer !== "void") say(`is ${answer}, though another node was first`);
      this.reached.void += 1;
      return;
    }
    if (answer === "void") return say("is void, though nobody was first");
    const earlyMs = tick.dueAt - Math.min(at, this.#now());
    if (earlyMs > CLOCK_MS) say(`fired ${earlyMs} ms too soon`);
    if ((answer === "passed") !== known.isPaused) say(`${answer}, paused ${known.isPaused}`);
    const expected = expectedOf(known.cron, tick.dueAt, at);
    if (tick.nextAt !== expected.nextAt) say(`is next at ${tick.nextAt}`);
    this.schedules.set(keyOf(tick), { ...known, nextAt: tick.nextAt });
    if (answer === "passed") this.reached.paused += 1;
    else this.#fired(tick, expected, say);
  }

  #fired({ fired }: Tick, { fires, skipped }: Expected, say: (what: string) => void): void {
    const messages = fired?.messages ?? [];
    if (messages.length !== (fires ? 1 : 0)) say(`made ${messages.length} messages`);
    const record = fired?.skipped ?? null;
    if (JSON.stringify(record) !== JSON.stringify(skipped)) {
      say(`recorded ${JSON.stringify(record)} and not ${JSON.stringify(skipped)}`);
    }
    for (const { state } of messages) this.made.add(state.messageId);
    this.reached[fires ? "fired" : "tooOld"] += 1;
    if (skipped !== null) this.reached.skipped += 1;
  }
}

interface Expected {
  /** The latest instant, unless it is over by more than a day. */
  readonly fires: boolean;
  /** All before it. */
  readonly skipped: SkippedTicks | null;
  readonly nextAt: number | null;
}

/** Instant by instant, without any haste. */
function expectedOf(cronText: string, dueAt: number, now: number): Expected {
  const cron = readCron(cronText);
  const due = [dueAt];
  let next = cron.next(dueAt);
  for (; next !== null && next <= now; next = cron.next(next)) due.push(next);
  const fires = due.at(-1)! >= now - DAY_MS;
  const older = fires ? due.slice(0, -1) : due;
  const skipped = older.length === 0 ? null : recordOf(older);
  return { fires, skipped, nextAt: next };
}

function recordOf(instants: readonly number[]): SkippedTicks {
  return {
    firstAt: instants[0]!,
    lastAt: instants.at(-1)!,
    count: Math.min(instants.length, SKIPPED_COUNTED_MAX),
  };
}

const keyOf = (key: { readonly accountId: string; readonly scheduleId: string }): string =>
  `${key.accountId} ${key.scheduleId}`;

const DAY_MS = 86_400_000;
/** A node knows the time of the store to within this much. */
const CLOCK_MS = 20;
