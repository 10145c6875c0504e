/** Pages of messages: from the log, newest change first, or from the messages that have not ended. */
import type { LogEntry, LogPage, Message, MessagePage } from "../../../sdk/src/answers/message.ts";
import { call, withQuery } from "../app/api.ts";
import { serverNow } from "../app/clock.ts";
import type { ListPage } from "../app/search-pages.ts";
import { apiQuery, isOpenState, type MessageFilter } from "./message-filter.ts";
import { type MessageRow, rowOfMessage, withEntry } from "./message-row.ts";
import { isToHost } from "./to-host.ts";

type RowPage = ListPage<MessageRow>;

export function loadPage(
  filter: MessageFilter,
  cursor: string | null,
  signal: AbortSignal,
): Promise<RowPage> {
  return isOpenState(filter.state)
    ? openPage(filter, cursor, signal)
    : logPage(filter, cursor, signal);
}

async function logPage(
  filter: MessageFilter,
  cursor: string | null,
  signal: AbortSignal,
): Promise<RowPage> {
  const query = {
    ...apiQuery(filter, serverNow()),
    host: filter.host,
    state: filter.state,
    count: filter.state === "FAILED" ? FAILED_ENTRIES : ENTRIES,
    cursor,
  };
  const page = await call<LogPage>(withQuery("/v2/logs", query), {
    signal,
  });
  const rows = rowsOf(page.logs);
  const shown = filter.state === "FAILED" ? await withErrors(rows, signal) : rows;
  return { rows: shown, cursor: page.cursor ?? null };
}

/** The number of attempts of a failed message is in its errors. */
function withErrors(rows: readonly MessageRow[], signal: AbortSignal): Promise<MessageRow[]> {
  return withLogs(rows, signal, { state: "ERROR", count: ERRORS_MAX });
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
    const query = { ...apiQuery(filter, serverNow()), count: 100, cursor: next };
    const page: MessagePage = await call(withQuery("/v2/messages", query), { signal });
    found.push(...page.messages.filter((message) => isWanted(message, filter)));
    next = page.cursor ?? null;
    if (next === null) break;
  }
  return { rows: await withLogs(found.map(rowOfMessage), signal), cursor: next };
}

function isWanted(message: Message, filter: MessageFilter): boolean {
  return isToHost(filter.host, message.url) && message.state === filter.state;
}

/** What the log knows of these messages: their attempts, and when the next one is due. */
async function withLogs(
  found: readonly MessageRow[],
  signal: AbortSignal,
  asked: Readonly<Record<string, string | number>> = { count: ENTRIES },
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

const ENTRIES = 300;
const FAILED_ENTRIES = 100;
const ERRORS_MAX = 1_000;
const ROWS_MIN = 50;
const OPEN_PAGES_MAX = 10;
const IDS_MAX = 50;
