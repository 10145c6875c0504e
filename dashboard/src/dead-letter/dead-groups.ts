/** Dead letters that failed alike, with a filter that means all of a group. */
import type { DeadLetterGroup } from "../../../sdk/src/answers/dead-letter.ts";
import { clockText } from "../app/format.ts";
import { answerWords } from "../message/answer-words.ts";
import { statusText } from "../message/status-words.ts";
import type { DeadKind, DeadLetter } from "./dead-letter.ts";
import { answerText, stepIn } from "./dead-letter.ts";
import { hostsText, isCountedInPart } from "./group-count.ts";

/** Dead letters that one filter means. */
export interface Batch {
  readonly key: string;
  readonly kind: DeadKind;
  readonly count: number;
  /** There may be more than the count. */
  readonly isAtLeast: boolean;
  readonly query: Readonly<Record<string, string | number | null>>;
}

export interface DeadGroup extends Batch, DeadLetterGroup {}

/** The groups of both kinds, the largest first. */
export function groupsOf(
  messages: readonly DeadLetterGroup[],
  runs: readonly DeadLetterGroup[],
): DeadGroup[] {
  const isAtLeast = isCountedInPart([...messages, ...runs]);
  const groups = [
    ...groupsOfKind("messages", messages, isAtLeast),
    ...groupsOfKind("runs", runs, isAtLeast),
  ];
  return groups.toSorted((one, other) => other.count - one.count || other.lastAt - one.lastAt);
}

function groupsOfKind(
  kind: DeadKind,
  rows: readonly DeadLetterGroup[],
  isAtLeast: boolean,
): DeadGroup[] {
  return rows.map((row) => ({
    ...row,
    kind,
    key: `${kind} ${row.responseStatus} ${row.cause}`,
    isAtLeast,
    query: { responseStatus: row.responseStatus, cause: row.cause },
  }));
}

export function isOf(
  group: Batch & Partial<DeadLetterGroup>,
  letter: DeadLetter,
  kind: DeadKind,
): boolean {
  return (
    group.kind === kind &&
    group.responseStatus === letter.responseStatus &&
    group.cause === letter.cause
  );
}

export function groupTitle(group: DeadGroup, samples: readonly DeadLetter[]): string {
  const { responseStatus: status, error, kind } = group;
  const cause = answerWords(group.cause);
  if (error !== undefined && error !== "") return capital(answerWords(error));
  const isNamed = cause !== `status ${status}`;
  if (status === 0) return isNamed ? capital(cause) : "No answer";
  const answered = statusText(status);
  if (kind === "messages") return isNamed ? `${answered}: ${cause}` : answered;
  const steps = new Set(samples.map(stepIn));
  const [step] = steps;
  return steps.size === 1 && step !== null && step !== undefined
    ? `Step “${step}”${isNamed ? `: ${cause}` : ` answered ${status}`}`
    : isNamed
      ? capital(cause)
      : `A step answered ${status}`;
}

/** What the newest of them answered, from where, and since when. */
export function groupDetail(group: DeadGroup, samples: readonly DeadLetter[], now: number): string {
  const since = `since ${clockText(group.firstAt, now)}`;
  const [newest] = samples;
  if (newest === undefined) return capital(since);
  const from = hostsText(
    group.count,
    samples.map(({ url }) => url),
  );
  const said = answerText(newest);
  const isSaid = said !== "" && said !== group.error && !group.cause.endsWith(said);
  return capital([...(isSaid ? [said.slice(0, SAID_MAX)] : []), `${from} ${since}`].join(", "));
}

/** How many failed in each of the last 24 hours, the oldest first. */
export function lastDay(hours: DeadLetterGroup["hours"], now: number): number[] {
  const counts = new Map(hours.map(({ at, count }) => [at, count]));
  const last = Math.floor(now / HOUR_MS) * HOUR_MS;
  return Array.from({ length: 24 }, (_, index) => counts.get(last - (23 - index) * HOUR_MS) ?? 0);
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

const SAID_MAX = 90;
const HOUR_MS = 3_600_000;
