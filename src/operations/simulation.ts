import type { Instant } from "../core/model/time.ts";
import { readCron } from "../core/policy/cron/cron.ts";
import { parseDuration, parseShortDuration } from "../core/policy/retry/duration.ts";
import { checkRetryDelay } from "../core/policy/retry/retry-delay.ts";
import { simulateLine, simulateRetries, simulateSchedule } from "../core/views/simulation.ts";
import { invalidRequest, prefixErrors } from "../wire/headers/header-value.ts";
import type { TypeOf } from "../wire/json/schema.ts";
import type { SIMULATION, SimulationRequest } from "../wire/simulation.ts";

/** What the rules would do, without a message, a schedule or a queue. */
export function simulate(request: SimulationRequest, now: Instant): TypeOf<typeof SIMULATION> {
  const { message, schedule, line } = request;
  if ([message, schedule, line].filter((one) => one !== undefined).length !== 1) {
    throw invalidRequest("body: must have one of message, schedule and line");
  }
  if (message !== undefined) return { attempts: attemptsOf(message, now) };
  if (schedule !== undefined) {
    const { cron, count: times, from = now } = schedule;
    prefixErrors("schedule.cron", () => readCron(cron));
    return { times: simulateSchedule(cron, from, times) };
  }
  return { line: drainOf(line!) };
}

function attemptsOf(message: Given<"message">, now: Instant) {
  const { retries, retryDelay, answers, takes, from = now } = message;
  if (retryDelay !== undefined) {
    prefixErrors("message.retryDelay", () => checkRetryDelay(retryDelay, retries));
  }
  const takesMs = prefixErrors("message.takes", () => parseShortDuration(takes));
  return simulateRetries({ settings: { retries, retryDelay }, answers, takesMs }, from);
}

function drainOf({ messages, parallelism, rate, period, takes }: Given<"line">) {
  const periodMs = prefixErrors("line.period", () => parseDuration(period));
  if (periodMs === 0) throw invalidRequest("line.period: must be at least 1s");
  const takesMs = takes.map((one, index) =>
    prefixErrors(`line.takes[${index}]`, () => parseShortDuration(one)),
  );
  const limits = { parallelism: parallelism ?? null, rate: rate ?? null, periodMs };
  return simulateLine({ limits, messages, takesMs });
}

type Given<Name extends keyof SimulationRequest> = NonNullable<SimulationRequest[Name]>;
