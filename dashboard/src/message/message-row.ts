/** A message as a row of the list, put together from what its log says. */
import type { LogEntry, Message, Wait, WaitingRow } from "../../../sdk/src/answers/message.ts";
import type { LogState } from "../../../sdk/src/answers/words.ts";
import { bodyOfBase64, plainText } from "../parts/body-text.ts";
import { answerWords } from "./answer-words.ts";
import { statusText } from "./status-words.ts";

export interface MessageRow {
  readonly id: string;
  readonly url: string;
  readonly method: string;
  readonly labels: readonly string[];
  readonly queue: string | null;
  readonly key: string | null;
  readonly state: LogState;
  /** When the state was reached. */
  readonly changedAt: number;
  /** When the next attempt is due, if that is known. */
  readonly nextAt: number | null;
  readonly attemptsMax: number;
  /** Attempts that ended; null when the entries do not tell. */
  readonly attempts: number | null;
  readonly tookMs: number | null;
  /** The status of the last answer; null without one. */
  readonly status: number | null;
  /** The last error: the status of the answer and what it said, or why there was none. */
  readonly error: string | null;
}

/** A newer entry wins over the row; an older one fills in what the row does not know. */
export function withEntry(row: MessageRow | undefined, entry: LogEntry): MessageRow {
  const isNewer = row === undefined || entry.time > row.changedAt || isLater(entry, row);
  const base = row ?? rowOfSettings(entry);
  const attempts = Math.max(base.attempts ?? 0, entry.attempt ?? 0);
  const isNewestAttempt = entry.attempt !== undefined && entry.attempt >= (base.attempts ?? 0);
  // What an attempt says is more than what its end says of it.
  const tells = isNewestAttempt || (isNewer && base.error === null);
  // Nothing that an earlier attempt was told is true of a newer one.
  const before = isNewestAttempt ? NO_ANSWER : base;
  return {
    ...base,
    state: isNewer ? entry.state : base.state,
    changedAt: isNewer ? entry.time : base.changedAt,
    nextAt: isNewer ? (entry.nextDeliveryTime ?? null) : base.nextAt,
    attempts: attempts > 0 || entry.state === "CREATED" ? attempts : base.attempts,
    tookMs: isNewestAttempt ? (entry.attemptDurationMs ?? null) : base.tookMs,
    status: (tells ? entry.responseStatus : null) ?? before.status,
    error: (tells ? errorOf(entry) : null) ?? before.error,
  };
}

const NO_ANSWER = { status: null, error: null };

/** Entries of one instant are told apart by the order of a message's life. */
function isLater(entry: LogEntry, row: MessageRow): boolean {
  return entry.time === row.changedAt && ORDER.indexOf(entry.state) > ORDER.indexOf(row.state);
}

const ORDER: readonly LogState[] = [
  "CREATED",
  "ACTIVE",
  "ERROR",
  "RETRY",
  "CANCEL_REQUESTED",
  "CANCELED",
  "FAILED",
  "DELIVERED",
];

/** `503 upstream unavailable`, or why there was no answer. */
export function errorOf(
  entry: Pick<LogEntry, "error" | "responseStatus" | "responseBody" | "state">,
): string | null {
  if (entry.state !== "ERROR" && entry.state !== "FAILED") return entry.error ?? null;
  const { responseStatus: status, error = "" } = entry;
  if (status === undefined || status === 0) return error === "" ? null : error;
  const body = bodyOfBase64(entry.responseBody?.slice(0, READ_MAX));
  const said = answerWords(plainText(body) ?? "") || error;
  return said === "" ? statusText(status) : `${status} ${said}`;
}

/** A multiple of base64's groups. */
const READ_MAX = 8_000;

/** Of a message that has not ended, before its log is known. */
export function rowOfMessage(message: Message): MessageRow {
  const nextAt = message.waiting?.endsAt ?? message.notBefore ?? null;
  return {
    ...rowOfSettings(message),
    state: message.state,
    changedAt: message.createdAt,
    nextAt: message.state === "CREATED" ? nextAt : null,
    attempts: message.state === "CREATED" ? 0 : null,
  };
}

function rowOfSettings(settings: LogEntry | Message): MessageRow {
  return {
    id: settings.messageId,
    url: settings.url,
    method: settings.method,
    labels: settings.labels ?? (settings.label === undefined ? [] : [settings.label]),
    queue: settings.queueName ?? null,
    key: settings.flowControlKey ?? null,
    state: settings.state,
    changedAt: 0,
    nextAt: null,
    attemptsMax: settings.maxRetries + 1,
    attempts: null,
    tookMs: null,
    status: null,
    error: null,
  };
}

/** Why a row waits, by the line that it is in. */
export function waitingOf(
  row: MessageRow,
  rows: readonly WaitingRow[],
  now: number,
): Wait | WaitingRow | null {
  if (row.state === "RETRY") return { reason: "retry", endsAt: row.nextAt };
  if (row.state !== "CREATED") return null;
  if (row.nextAt !== null && row.nextAt > now) return { reason: "delay", endsAt: row.nextAt };
  return (
    rows.find(({ reason, line }) => reason !== "delay" && reason !== "retry" && isIn(row, line)) ??
    null
  );
}

function isIn(row: MessageRow, line: Wait["line"]): boolean {
  if (line === undefined) return false;
  if (line.kind === "queue") return row.queue === line.name;
  if (line.kind === "key") return row.queue === null && row.key === line.name;
  return row.queue === null && row.key === null && URL.parse(row.url)?.host === line.name;
}
