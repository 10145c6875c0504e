/** What the rules would do with a message, a schedule or a queue that does not exist. */
import type { Attempt, Outcome } from "../model/message/attempt.ts";
import {
  type LineLimits,
  type LineRunning,
  nextVisit,
  roomOf,
  windowAfter,
} from "../model/line/line.ts";
import type { Instant } from "../model/time.ts";
import { nextInstants, readCron } from "../policy/cron/cron.ts";
import { parseCron } from "../policy/cron/cron-grammar.ts";
import { timeZone } from "../policy/cron/time-zone.ts";
import { judge, type JudgedMessage } from "../rules/message/judge.ts";

export interface SimulatedAnswer {
  /** 0 for none. */
  readonly status: number;
  readonly retryAfter?: string | undefined;
}

export interface RetrySimulation {
  readonly settings: JudgedMessage["settings"];
  /** In the order of the attempts; the last one repeats. */
  readonly answers: readonly SimulatedAnswer[];
  /** How long each attempt takes. */
  readonly takesMs: number;
}

export interface SimulatedAttempt {
  readonly attempt: number;
  readonly status: number;
  readonly result: "delivered" | "retry" | "dead";
  /** The default backoff is lengthened by chance: between these two. */
  readonly earliestAt: Instant;
  readonly latestAt: Instant;
}

/** When each attempt of a message begins that is published at an instant. */
export function simulateRetries(simulation: RetrySimulation, at: Instant): SimulatedAttempt[] {
  const { settings, answers, takesMs } = simulation;
  const attempts: SimulatedAttempt[] = [];
  let starts: readonly Instant[] = [at, at];
  for (let number = 1; ; number++) {
    const answer = answers[Math.min(number, answers.length) - 1]!;
    const verdicts = starts.map((startedAt, jitter) => {
      const endedAt = startedAt + takesMs;
      const attempt: Attempt = { number, startedAt, endedAt, outcome: outcomeOf(answer) };
      return judge({ kind: "publish", settings }, attempt, jitter);
    });
    const [earliestAt, latestAt] = starts as [Instant, Instant];
    const result = verdicts[0]!.kind;
    attempts.push({ attempt: number, status: answer.status, result, earliestAt, latestAt });
    starts = verdicts.flatMap((verdict) => (verdict.kind === "retry" ? [verdict.readyAt] : []));
    if (starts.length === 0) return attempts;
  }
}

function outcomeOf({ status, retryAfter }: SimulatedAnswer): Outcome {
  if (status === 0) return { kind: "no-answer", error: "no answer", final: false };
  const headers = retryAfter === undefined ? [] : [["Retry-After", retryAfter] as const];
  return { kind: "answer", status, headers, body: new Uint8Array() };
}

export interface SimulatedTick {
  readonly at: Instant;
  /** What the clocks of the zone are ahead of UTC then. */
  readonly offsetMinutes: number;
  /** They have changed since the time before. */
  readonly isAfterChange: boolean;
}

/** When an expression fires, and how far the clocks of its zone are ahead of UTC then. */
export function simulateSchedule(cron: string, from: Instant, count: number): SimulatedTick[] {
  const expression = parseCron(cron);
  const zone = expression.kind === "every" ? null : timeZone(expression.zone);
  const offsetAt = (at: Instant): number => (zone?.stretchAt(at).offsetMs ?? 0) / MINUTE_MS;
  let before = offsetAt(from);
  return nextInstants(readCron(cron), from, count).map((at) => {
    const offsetMinutes = offsetAt(at);
    const isAfterChange = offsetMinutes !== before;
    before = offsetMinutes;
    return { at, offsetMinutes, isAfterChange };
  });
}

export interface LineSimulation {
  readonly limits: Pick<LineLimits, "parallelism" | "rate" | "periodMs">;
  readonly messages: number;
  /** How long the answer to each message takes, in turn. */
  readonly takesMs: readonly number[];
}

export interface SimulatedDrain {
  /** When the last message has its answer. */
  readonly drainedAfterMs: number;
  readonly atOnceMax: number;
  /** When messages begin and have their answers, at most `ROWS_MAX` of them, evenly chosen. */
  readonly rows: readonly SimulatedStart[];
}

export interface SimulatedStart {
  readonly message: number;
  readonly startsAfterMs: number;
  readonly endsAfterMs: number;
}

/** How a queue or key delivers messages that are all there at the beginning. */
export function simulateLine({ limits, messages, takesMs }: LineSimulation): SimulatedDrain {
  const starts: number[] = [];
  const ends: number[] = [];
  const underWay = new Ends();
  let running: LineRunning = { nextAt: 0, windowStartedAt: 0, windowStarts: 0, emptied: false };
  let atOnceMax = 0;
  for (let now = 0; ;) {
    const room = roomOf({ ...limits, paused: false }, running, underWay.count, now);
    const took = Math.min(room.count, messages - starts.length);
    for (let nth = 0; nth < took; nth++) {
      const endsAt = now + takesMs[starts.length % takesMs.length]!;
      starts.push(now);
      ends.push(endsAt);
      underWay.add(endsAt);
    }
    atOnceMax = Math.max(atOnceMax, underWay.count);
    if (starts.length === messages) break;
    const visit = nextVisit({ now, room, took, passedOver: false, nextReadyAt: now });
    running = { ...visit, ...windowAfter(room, took) };
    now = Math.min(running.nextAt ?? Infinity, underWay.first ?? Infinity);
    underWay.endUntil(now);
  }
  const drainedAfterMs = ends.reduce((last, end) => Math.max(last, end), 0);
  return { drainedAfterMs, atOnceMax, rows: chosen(messages).map(rowOf) };
  function rowOf(message: number): SimulatedStart {
    const index = message - 1;
    return { message, startsAfterMs: starts[index]!, endsAfterMs: ends[index]! };
  }
}

/** The ends of the attempts under way, the earliest first. */
class Ends {
  readonly #times: number[] = [];

  get count(): number {
    return this.#times.length;
  }

  get first(): number | undefined {
    return this.#times[0];
  }

  add(time: number): void {
    const at = this.#times.findLastIndex((other) => other <= time) + 1;
    this.#times.splice(at, 0, time);
  }

  endUntil(now: number): void {
    const ended = this.#times.findIndex((time) => time > now);
    this.#times.splice(0, ended < 0 ? this.#times.length : ended);
  }
}

/** The first and the last one, and others at equal distances. */
function chosen(messages: number): number[] {
  const count = Math.min(messages, ROWS_MAX);
  const step = count === 1 ? 0 : (messages - 1) / (count - 1);
  return Array.from({ length: count }, (_, row) => Math.round(1 + row * step));
}

const MINUTE_MS = 60_000;
const ROWS_MAX = 20;
