/** Dead letters that failed alike, or at one host, with a filter that means all of a group. */
import type { DeadLetterGroup, DeadLetterHost } from "../../../sdk/src/answers/dead-letter.ts";
import { clockText, counted } from "../app/format.ts";
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

/** Those that failed alike, or that were sent to one host. */
export type DeadGroup = Batch & (DeadLetterGroup | DeadLetterHost);

/** The groups of both kinds, the largest first. */
export function groupsOf<Row extends DeadLetterGroup | DeadLetterHost>(
  messages: readonly Row[],
  runs: readonly Row[],
): (Batch & Row)[] {
  const isAtLeast = isCountedInPart([...messages, ...runs]);
  const groups = [
    ...messages.map((row) => ({ ...row, ...batchOf("messages", row, isAtLeast) })),
    ...runs.map((row) => ({ ...row, ...batchOf("runs", row, isAtLeast) })),
  ];
  return groups.toSorted((one, other) => other.count - one.count || other.lastAt - one.lastAt);
}

function batchOf(kind: DeadKind, row: DeadLetterGroup | DeadLetterHost, isAtLeast: boolean): Batch {
  const { count } = row;
  const query =
    "host" in row ? { host: row.host } : { responseStatus: row.responseStatus, cause: row.cause };
  return { key: [kind, ...Object.values(query)].join(" "), kind, count, isAtLeast, query };
}

export function isOf(group: DeadGroup, letter: DeadLetter, kind: DeadKind): boolean {
  if (group.kind !== kind) return false;
  return "host" in group
    ? URL.parse(letter.url)?.host === group.host
    : group.responseStatus === letter.responseStatus && group.cause === letter.cause;
}

export function groupTitle(group: DeadGroup, samples: readonly DeadLetter[]): string {
  if ("host" in group) return group.host;
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

/** What the newest of them answered, from where, since when, and after how many attempts. */
export function groupDetail(group: DeadGroup, samples: readonly DeadLetter[], now: number): string {
  const since = `since ${clockText(group.firstAt, now)}, ${counted(group.attempts, "attempt")}`;
  const [newest] = samples;
  if (newest === undefined) return capital(since);
  if ("host" in group) return capital(`${answersIn(samples)} ${since}`);
  const from = hostsText(
    group.count,
    samples.map(({ url }) => url),
  );
  const said = answerText(newest);
  const isSaid = said !== "" && said !== group.error && !group.cause.endsWith(said);
  return capital([...(isSaid ? [said.slice(0, SAID_MAX)] : []), `${from} ${since}`].join(", "));
}

/** `503, 422 and no answer`, the most frequent first. */
function answersIn(samples: readonly DeadLetter[]): string {
  const counts = new Map<number, number>();
  for (const { responseStatus: status } of samples) {
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  const statuses = [...counts].toSorted(([, one], [, other]) => other - one);
  return statuses.map(([status]) => (status === 0 ? "no answer" : status)).join(", ");
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
