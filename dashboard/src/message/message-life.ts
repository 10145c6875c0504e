/** What the log of one message tells: its attempts, what comes next, and each entry in words. */
import type { LogEntry } from "../../../sdk/src/answers/message.ts";
import type { LogState } from "../../../sdk/src/answers/words.ts";
import { clockText, durationText } from "../app/format.ts";
import type { Attempt } from "../parts/attempt-pieces.ts";

export interface MessageLife {
  readonly state: LogState;
  readonly attempts: readonly Attempt[];
  /** The entry of each attempt that ended, by its number. */
  readonly answers: ReadonlyMap<number, LogEntry>;
  readonly nextAt: number | null;
  readonly attemptsMax: number;
}

/** Entries are newest first, as the API lists them. */
export function lifeOf(
  entries: readonly LogEntry[],
  fallback: {
    readonly state: LogState;
    readonly maxRetries: number;
    readonly notBefore?: number | undefined;
  },
): MessageLife {
  const [newest] = entries;
  const state = newest?.state ?? fallback.state;
  const answers = new Map(
    entries.flatMap((entry) =>
      entry.attempt === undefined ? [] : [[entry.attempt, entry] as const],
    ),
  );
  const ended = [...answers.values()]
    .toSorted((one, other) => one.attempt! - other.attempt!)
    .map(attemptOf);
  const attempts =
    state === "ACTIVE" ? [...ended, sendingSince(newest?.time ?? 0, ended.length + 1)] : ended;
  const due =
    state === "RETRY"
      ? newest?.nextDeliveryTime
      : state === "CREATED"
        ? fallback.notBefore
        : undefined;
  return {
    state,
    attempts,
    answers,
    nextAt: due ?? null,
    attemptsMax: (newest?.maxRetries ?? fallback.maxRetries) + 1,
  };
}

function attemptOf(entry: LogEntry): Attempt {
  const isDelivered = entry.state === "DELIVERED";
  return {
    number: entry.attempt!,
    outcome: isDelivered ? "delivered" : entry.state === "CANCELED" ? "canceled" : "failed",
    word:
      entry.responseStatus === undefined
        ? (entry.error ?? "no answer")
        : String(entry.responseStatus),
    startedAt: entry.attemptStartedAt ?? entry.time,
    tookMs: entry.attemptDurationMs ?? 0,
  };
}

function sendingSince(startedAt: number, number: number): Attempt {
  return { number, outcome: "sending", word: "sending", startedAt, tookMs: null };
}

/** The entry as a sentence for the log. */
export function entryText(entry: LogEntry, now: number): string {
  const took =
    entry.attemptDurationMs === undefined ? "" : ` after ${durationText(entry.attemptDurationMs)}`;
  const node = entry.nodeId === undefined ? "" : `, on node ${entry.nodeId.slice(-5)}`;
  const answer = entry.responseStatus ?? entry.error ?? "No answer";
  switch (entry.state) {
    case "CREATED":
      return entry.callerIp === undefined ? "Stored" : `Stored, sent by ${entry.callerIp}`;
    case "ACTIVE":
      return entry.queueName === undefined
        ? "An attempt began"
        : `Queue ${entry.queueName} had room, an attempt began`;
    case "RETRY":
      return entry.nextDeliveryTime === undefined
        ? "Will be tried again"
        : `Next attempt at ${clockText(entry.nextDeliveryTime, now)}`;
    case "ERROR":
      return `${answer}${took}${node}`;
    case "DELIVERED":
      return `${answer}${took}${node}`;
    case "FAILED":
      return `No attempt is left${entry.error === undefined ? "" : `: ${entry.error}`}`;
    case "CANCEL_REQUESTED":
      return "Cancel was requested";
    case "CANCELED":
      return "Canceled";
  }
}
