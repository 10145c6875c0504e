import { systemClock } from "../../platform/clock.ts";
import { simulate } from "../../operations/simulation.ts";
import { Problem } from "../../core/problem.ts";
import type { TypeOf } from "../../wire/json/schema.ts";
import { readSimulation, type SIMULATION } from "../../wire/simulation.ts";
import { CommandError } from "../command-error.ts";
import type { Flags, LocalHandlers } from "../flags.ts";
import { Output, tableText } from "../terminal/output.ts";
import { durationText, timeText } from "../terminal/time-text.ts";

type Simulation = TypeOf<typeof SIMULATION>;

/** The rules of the server, without a server. */
export const HANDLERS: LocalHandlers = {
  "simulate retries": (_, flags) => {
    const message = {
      retries: flags.number("retries"),
      retryDelay: flags.text("retry-delay"),
      answers: flags.texts("answer")?.map(answerOf),
      takes: flags.texts("takes")?.[0],
      from: flags.instant("from", systemClock.now()),
    };
    return show(flags, { message }, ({ attempts = [] }) => attemptRows(attempts));
  },
  "simulate schedule": ([cron = ""], flags) => {
    const zone = flags.text("zone");
    const schedule = {
      cron: zone === undefined ? cron : `CRON_TZ=${zone} ${cron}`,
      count: flags.number("count"),
      from: flags.instant("from", systemClock.now()),
    };
    return show(flags, { schedule }, ({ times = [] }) => timeRows(times));
  },
  "simulate queue": (_, flags) => {
    const line = {
      messages: flags.number("messages") ?? MESSAGES_DEFAULT,
      parallelism: flags.number("parallelism"),
      rate: flags.number("rate"),
      period: flags.text("period"),
      takes: flags.texts("takes"),
    };
    return show(flags, { line }, ({ line: drain }) => drainRows(drain!));
  },
};

/** It is read as the server reads it, so that both refuse the same. */
async function show(
  flags: Flags,
  request: object,
  rowsOf: (simulation: Simulation) => string[][],
): Promise<void> {
  const simulation = withOptionNames(() =>
    simulate(readSimulation(Buffer.from(JSON.stringify(request))), systemClock.now()),
  );
  new Output(flags).one(simulation, () => tableText(rowsOf(simulation)).trimEnd());
  return Promise.resolve();
}

/** A refusal that names the option, where the server names the member of its request. */
function withOptionNames<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new CommandError(error.message.replace(MEMBER, (_, name: string) => optionOf(name)));
  }
}

function optionOf(member: string): string {
  if (member === "cron") return "the expression";
  if (member === "answers") return "--answer";
  return `--${member.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `503`, or `429/120` with its Retry-After. */
function answerOf(text: string): object {
  const [status = "", ...rest] = text.split("/");
  if (!/^\d{1,3}$/.test(status)) {
    throw new CommandError(`--answer must be a status, as 503 or 429/120, but is ${text}`);
  }
  return { status: Number(status), ...(rest.length === 0 ? {} : { retryAfter: rest.join("/") }) };
}

function attemptRows(attempts: NonNullable<Simulation["attempts"]>): string[][] {
  const rows = attempts.map(({ attempt, status, result, earliestAt, latestAt }, index) => {
    const before = attempts[index - 1]?.earliestAt ?? earliestAt;
    const spreadMs = latestAt - earliestAt;
    return [
      String(attempt),
      timeText(earliestAt),
      index === 0 ? "" : `+${durationText(earliestAt - before)}`,
      spreadMs === 0 ? "" : `up to ${durationText(spreadMs)} later`,
      status === 0 ? "no answer" : String(status),
      RESULTS[result] ?? result,
    ];
  });
  return [["ATTEMPT", "AT", "AFTER", "BY CHANCE", "ANSWER", "THEN"], ...rows];
}

function timeRows(times: NonNullable<Simulation["times"]>): string[][] {
  const rows = times.map(({ at, offsetMinutes, isAfterChange }) => [
    new Date(at + offsetMinutes * MINUTE_MS).toISOString().slice(0, 16).replace("T", " "),
    offsetText(offsetMinutes),
    new Date(at).toISOString().slice(0, 16).replace("T", " "),
    isAfterChange ? "the clocks have changed" : "",
  ]);
  return [["IN THE ZONE", "OFFSET", "UTC", ""], ...rows];
}

function offsetText(minutes: number): string {
  const size = Math.abs(minutes);
  const [hours, rest] = [Math.floor(size / 60), Math.round(size % 60)];
  return `${minutes < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
}

function drainRows({ rows, drainedAfterMs, atOnceMax }: NonNullable<Simulation["line"]>) {
  const shown = rows.map(({ message, startsAfterMs, endsAfterMs }) => [
    String(message),
    durationText(startsAfterMs),
    durationText(endsAfterMs),
  ]);
  const end = ["all", "", `${durationText(drainedAfterMs)}, at most ${atOnceMax} at once`];
  return [["MESSAGE", "SENT AFTER", "ANSWERED AFTER"], ...shown, end];
}

const RESULTS: Readonly<Record<string, string>> = {
  delivered: "delivered",
  retry: "tried again",
  dead: "dead letter",
};
const MEMBER = /^(?:message|schedule|line)\.(\w+)[.\w[\]]*(?=[: ])/;
const MESSAGES_DEFAULT = 100;
const MINUTE_MS = 60_000;
