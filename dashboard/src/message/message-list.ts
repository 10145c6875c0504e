/** The messages while they are watched: new ones and changes come from the stream. */
import type { LogEntry } from "../../../sdk/src/answers/message.ts";
import { useLive } from "../app/live.ts";
import {
  entered,
  type ListState,
  type RowFacts,
  useWatchedList,
  type WatchedList,
} from "../app/watched-list.ts";
import { isOfOpen, matches, type MessageFilter } from "./message-filter.ts";
import { loadPage } from "./message-pages.ts";
import { type MessageRow, withEntry } from "./message-row.ts";

export type MessageList = WatchedList<MessageRow>;
type State = ListState<MessageRow>;

/** `canEnter` says whether new rows may enter now, or must wait. */
export function useMessageList(
  filter: MessageFilter,
  isLive: boolean,
  canEnter: () => boolean,
): MessageList {
  const { list, change } = useWatchedList<MessageRow>({
    ...ROW_FACTS,
    name: `messages ${JSON.stringify(filter)}`,
    loadPage: (from, signal) => loadPage(filter, from, signal),
  });
  useLive((entries) => change((before) => withNews(before, entries, filter, canEnter())), isLive);
  return list;
}

const ROW_FACTS: RowFacts<MessageRow> = {
  keyOf: ({ id }) => id,
  timeOf: ({ changedAt }) => changedAt,
};

/** Rows that are shown change in place and never move; new ones enter at the top, or wait. */
function withNews(
  before: State,
  entries: readonly LogEntry[],
  filter: MessageFilter,
  mayEnter: boolean,
): State {
  const news = Map.groupBy(entries, ({ messageId }) => messageId);
  const rows = before.rows.map((row) => {
    const own = news.get(row.id);
    if (own === undefined) return row;
    news.delete(row.id);
    return own.reduce(withEntry, row);
  });
  const pending = new Map(before.pending.map((row) => [row.id, row]));
  for (const entry of [...news.values()].flat()) {
    const row = pending.get(entry.messageId);
    if (row === undefined && !isNew(entry, filter)) continue;
    pending.set(entry.messageId, withEntry(row, entry));
  }
  const waiting = [...pending.values()].slice(-PENDING_MAX);
  const next = { ...before, rows, pending: waiting };
  if (!mayEnter || waiting.length === 0) return next;
  const shownNext = entered(sampled(next), ROW_FACTS);
  // Rows that come this fast are all new: none stands out, and fading each would draw all the time.
  return shownNext.sampleOf > 1 ? { ...shownNext, fresh: NONE_FRESH } : shownNext;
}

function isNew(entry: LogEntry, filter: MessageFilter): boolean {
  return (
    matches(filter, entry) &&
    (filter.state === null || entry.state === filter.state) &&
    !isOfOpen(filter)
  );
}

/** Of a batch of more than ten new rows a sample is shown. */
function sampled(state: State): State {
  const sampleOf = Math.ceil(state.pending.length / ENTER_MAX);
  if (sampleOf <= 1) return { ...state, sampleOf: 1 };
  return {
    ...state,
    sampleOf,
    pending: state.pending.filter((_, index) => index % sampleOf === 0),
  };
}

const NONE_FRESH: ReadonlySet<string> = new Set();
const PENDING_MAX = 1_000;
const ENTER_MAX = 10;
