/** Pages of messages: from the log, newest change first, or from the messages that have not ended. */
import type { LogEntry, LogPage, Message, MessagePage } from "../../../sdk/src/answers/message.ts";
import { call, withQuery } from "../app/api.ts";
import { serverNow } from "../app/clock.ts";
import type { ListPage, PageStart } from "../app/search-pages.ts";
import {
  hasText,
  isOfOpen,
  isOfStatus,
  logQuery,
  type MessageFilter,
  openQuery,
} from "./message-filter.ts";
import { type MessageRow, rowOfMessage, withEntry } from "./message-row.ts";
import { isToHost } from "./to-host.ts";

type RowPage = ListPage<MessageRow>;

export function loadPage(
  filter: MessageFilter,
  from: PageStart,
  signal: AbortSignal,
): Promise<RowPage> {
  // A list of those that have not ended takes no new rows, and so loses none.
  return isOfOpen(filter) ? openPage(filter, from.cursor, signal) : logPage(filter, from, signal);
}

async function logPage(
  filter: MessageFilter,
  { cursor, toAt }: PageStart,
  signal: AbortSignal,
): Promise<RowPage> {
  const query = {
    ...logQuery(filter, serverNow()),
    count: isSparse(filter) || filter.state !== null ? SPARSE_ENTRIES : ENTRIES,
    toDate: toAt,
    cursor,
  };
  const page = await call<LogPage>(withQuery("/v2/logs", query), {
    signal,
  });
  const rows = rowsOf(page.logs);
  const shown = isSparse(filter) ? await withLogs(rows, signal, restOf(filter)) : rows;
  return { rows: shown, cursor: page.cursor ?? null, searched: page.searched };
}

/** Each message has one entry or few in the answer, and the others are read too. */
function isSparse({ state, q, status, error }: MessageFilter): boolean {
  return state === "FAILED" || q !== null || status !== null || error !== null;
}

/** The attempts of a message that has ended are in its errors. */
function restOf({ state }: MessageFilter): Readonly<Record<string, string | number>> {
  return state === "FAILED" ? { state: "ERROR", count: ENTRIES_MAX } : { count: ENTRIES_MAX };
}

/** One row for each message, in the order of its newest entry. */
export function rowsOf(entries: readonly LogEntry[]): MessageRow[] {
  const rows = new Map<string, MessageRow>();
  for (const entry of entries)
    rows.set(entry.messageId, withEntry(rows.get(entry.messageId), entry));
  return [...rows.values()];
}

async function openPage(
  filter: MessageFilter,
  cursor: string | null,
  signal: AbortSignal,
): Promise<RowPage> {
  const found: Message[] = [];
  let next: string | null = cursor;
  for (let pages = 0; pages < OPEN_PAGES_MAX && found.length < ROWS_MIN; pages++) {
    const query = { ...openQuery(filter, serverNow()), count: 100, cursor: next };
    const page: MessagePage = await call(withQuery("/v2/messages", query), { signal });
    found.push(...page.messages.filter((message) => isWanted(message, filter)));
    next = page.cursor ?? null;
    if (next === null) break;
  }
  const rows = await withLogs(found.map(rowOfMessage), signal);
  return { rows: rows.filter((row) => isShown(row, filter)), cursor: next };
}

function isWanted({ state, url }: Message, filter: MessageFilter): boolean {
  return isToHost(filter.host, url) && (filter.state === null || state === filter.state);
}

/** Answers are in the log alone. */
function isShown(row: MessageRow, { status, error }: MessageFilter): boolean {
  return (
    isOfStatus(status, row.status, row.error) && (error === null || hasText(error, [row.error]))
  );
}

/** What the log knows of these messages: their attempts, and when the next one is due. */
async function withLogs(
  found: readonly MessageRow[],
  signal: AbortSignal,
  asked: Readonly<Record<string, string | number>> = { count: ENTRIES_MAX },
): Promise<MessageRow[]> {
  const rows = new Map(found.map((row) => [row.id, row]));
  for (let start = 0; start < found.length; start += IDS_MAX) {
    const ids = found.slice(start, start + IDS_MAX).map(({ id }) => id);
    const query = { messageIds: ids.join(","), ...asked };
    const { logs } = await call<LogPage>(withQuery("/v2/logs", query), { signal });
    for (const entry of logs) {
      const row = rows.get(entry.messageId);
      if (row !== undefined) rows.set(row.id, withEntry(row, entry));
    }
  }
  return [...rows.values()];
}

/** About a hundred messages: each has three entries or more. */
const ENTRIES = 300;
const SPARSE_ENTRIES = 100;
const ENTRIES_MAX = 1_000;
const ROWS_MIN = 50;
const OPEN_PAGES_MAX = 10;
const IDS_MAX = 50;
