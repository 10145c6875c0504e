/** What is drawn for a step: solid is work, hatched is waiting, dashed has not happened yet. */
import { counted, durationText } from "../app/format.ts";
import type { TimedStep } from "./run-timeline.ts";
import { errorWord, openText } from "./run-state.ts";

export interface StepPiece {
  readonly fill: "ok" | "err" | "live" | "hatch-warn" | "hatch-hold" | "stop";
  readonly from: number;
  readonly to: number;
}

export function piecesOf(timed: TimedStep, now: number): StepPiece[] {
  const { step, kind, attempts, startedAt, endedAt } = timed;
  if (timed.isCarriedOver) return [];
  const end = endedAt ?? now;
  if (kind === "sleep" || kind === "event") {
    return [{ fill: "hatch-hold", from: startedAt, to: Math.max(startedAt, end) }];
  }
  const pieces = attempts.flatMap((attempt, index): StepPiece[] => {
    const to = attempt.endedAt ?? now;
    const gapTo = attempts[index + 1]?.startedAt ?? (step.state === "STEP_RETRY" ? now : to);
    const fill = attempt.error !== null ? "err" : endedAt === null ? "live" : "ok";
    const gap: StepPiece = { fill: "hatch-warn", from: to, to: gapTo };
    return [{ fill, from: attempt.startedAt, to }, ...(gapTo > to ? [gap] : [])];
  });
  const last = pieces.at(-1)?.to ?? startedAt;
  return step.state === "STEP_CANCELED" && end > last
    ? [...pieces, { fill: "stop", from: last, to: end }]
    : pieces;
}

export function isWork({ fill }: StepPiece): boolean {
  return fill === "ok" || fill === "err" || fill === "live";
}

/** Beside the bar: how long, and what went wrong. */
export function pieceText(timed: TimedStep, now: number): { long: string; short: string } {
  const { step, kind, attempts, startedAt, endedAt } = timed;
  if (timed.isCarriedOver) return { long: "done by the run before", short: "done before" };
  const short = endedAt === null ? "" : durationText(endedAt - startedAt);
  if (endedAt === null) return { long: openLong(timed, now), short };
  if (kind === "event") {
    const how = step.waitTimeout === true ? "timed out" : `event ${step.waitEventId ?? ""}`;
    return { long: `${short}, ${how}`, short };
  }
  const failed = attempts.flatMap(({ error }) => (error === null ? [] : [errorWord(error)]));
  if (step.state === "STEP_FAILED") return { long: `${repeated(failed)}, ${short}`, short };
  if (step.state === "STEP_CANCELED") return { long: "canceled", short: "canceled" };
  if (failed.length === 0) return { long: short, short };
  const then = step.callResponseStatus === undefined ? "done" : String(step.callResponseStatus);
  return { long: `${repeated(failed)}, then ${then} in ${short}`, short };
}

function openLong({ step, kind, name }: TimedStep, now: number): string {
  if (step.state === "STEP_RETRY") return openText(step, now).replace(`${name}: `, "");
  if (kind === "event") return openText(step, now);
  return kind === "sleep" ? openText(step, now).replace(/,[^,]*$/, "") : "running";
}

/** `500 four times`, `429, 503` */
function repeated(words: readonly string[]): string {
  const [first = "failed"] = words;
  if (words.length < 2) return first;
  if (words.some((word) => word !== first)) return words.join(", ");
  return `${first} ${TIMES[words.length] ?? `${words.length} times`}`;
}

const TIMES: Readonly<Record<number, string>> = { 2: "twice", 3: "three times", 4: "four times" };

/** For those who hear the row: `book ledger, failed after 4 attempts, 8.0 s`. */
export function stepLabel(timed: TimedStep): string {
  const { name, kind, step, attempts, besides, startedAt, endedAt } = timed;
  const tries = counted(attempts.length, "attempt");
  const state = {
    STEP_SUCCESS: timed.isCarriedOver
      ? "done by the run before"
      : attempts.length > 1
        ? `succeeded after ${tries}`
        : "succeeded",
    STEP_FAILED: `failed after ${tries}`,
    STEP_CANCELED: "canceled",
    STEP_RETRY: `retrying after ${tries}`,
    STEP_PROGRESS: kind === "sleep" ? "sleeping" : kind === "event" ? "waiting" : "running",
  }[step.state];
  const parts = [
    name,
    KIND_WORDS[kind],
    besides.length > 0 ? "in parallel" : "",
    state,
    endedAt === null || timed.isCarriedOver ? "" : durationText(endedAt - startedAt),
  ];
  return parts.filter((part) => part !== "").join(", ");
}

export const KIND_WORDS = {
  run: "",
  next: "",
  call: "call",
  sleep: "sleep",
  event: "event",
  child: "run",
} as const;
