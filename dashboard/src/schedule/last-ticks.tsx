/** The last ticks of a schedule with their outcome, each with its message, and what was sent by hand in between. */
import type { LogEntry, LogPage } from "../../../sdk/src/answers/message.ts";
import type { Schedule, ScheduleTick } from "../../../sdk/src/answers/schedule.ts";
import { withQuery } from "../app/api.ts";
import { second } from "../app/clock.ts";
import { counted, durationText, idTail } from "../app/format.ts";
import { useLive } from "../app/live.ts";
import { useResource } from "../app/resource.ts";
import { messageHref } from "../message/message-href.ts";
import { type MessageRow, withEntry } from "../message/message-row.ts";
import { Chip } from "../parts/chip.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { outcomeOf, tickHref, type TickOutcome } from "./past-ticks.ts";
import { TickStrip } from "./tick-strip.tsx";
import { ownZone, wallText } from "./zone.ts";

interface LastTicksProps {
  readonly schedule: Schedule;
  /** Reads the schedule again. */
  readonly onNews: () => void;
}

export function LastTicks({ schedule, onNews }: LastTicksProps) {
  const { scheduleId: id, lastTicks = [] } = schedule;
  const log = useResource<LogPage>(withQuery("/v2/logs", { scheduleId: id, count: 200 }), 30_000);
  useLive((entries) => {
    if (!entries.some(({ scheduleId }) => scheduleId === id)) return;
    log.reload();
    onNews();
  }, true);
  const rows = pastRows(lastTicks, log.value?.logs ?? [], id).slice(0, SHOWN_MAX);
  return (
    <article class="card">
      <header>
        <h2>Last ticks</h2>
        {lastTicks.length === 0 ? null : <TickStrip ticks={lastTicks} />}
        <div class="acts">
          <a class="btn s quiet" href={`/messages?schedule=${encodeURIComponent(id)}`}>
            Open as list
          </a>
        </div>
      </header>
      <Table
        label="Last ticks"
        columns={COLUMNS}
        rows={rows}
        keyOf={({ key }) => key}
        hrefOf={({ href }) => href ?? scheduleMessages(id)}
        isLoading={log.isLoading}
        isStale={log.error !== null}
        empty={<p class="pad muted">It has not run yet.</p>}
      />
    </article>
  );
}

/** A tick, or a message that was sent in between. */
export interface PastRow {
  readonly key: string;
  readonly at: number;
  /** A word of the chips. */
  readonly state: string;
  readonly says: string;
  readonly href: string | null;
  readonly link: string;
}

/** The newest first. */
export function pastRows(
  ticks: readonly ScheduleTick[],
  entries: readonly LogEntry[],
  scheduleId: string,
): PastRow[] {
  const messages = new Map<string, MessageRow>();
  for (const entry of entries) {
    messages.set(entry.messageId, withEntry(messages.get(entry.messageId), entry));
  }
  const ofTicks = ticks.map((tick) => tickRow(tick, messages, scheduleId));
  const ticked = new Set(ticks.flatMap(({ states = {} }) => Object.keys(states)));
  const others = [...messages.values()].filter(({ id }) => !ticked.has(id)).map(messageRow);
  return [...ofTicks, ...others].toSorted((one, other) => other.at - one.at);
}

function tickRow(
  tick: ScheduleTick,
  messages: ReadonlyMap<string, MessageRow>,
  scheduleId: string,
): PastRow {
  const { time, states = {}, error, skippedCount, messageCount } = tick;
  const ids = Object.keys(states);
  const [id] = ids;
  const one = ids.length === 1 && id !== undefined ? messages.get(id) : undefined;
  const count = messageCount ?? ids.length;
  return {
    key: `tick ${time} ${skippedCount ?? ""}`,
    at: time,
    state: one?.state ?? STATES[outcomeOf(tick)],
    says:
      skippedCount === undefined
        ? (error ?? (one === undefined ? "" : saysOf(one)))
        : `${counted(skippedCount, "tick")} until then missed: no server ran`,
    href: tickHref(tick, scheduleId),
    link:
      count === 0 ? "" : count === 1 && id !== undefined ? idTail(id) : counted(count, "message"),
  };
}

function messageRow(row: MessageRow): PastRow {
  const { id, state, changedAt: at } = row;
  return { key: id, at, state, says: saysOf(row), href: messageHref(row), link: idTail(id) };
}

function saysOf({ state, attempts, tookMs, error }: MessageRow): string {
  if (state === "DELIVERED") return tookMs === null ? "" : `took ${durationText(tookMs)}`;
  if (error === null) return "";
  return `${error}${attempts === null ? "" : ` after ${counted(attempts, "attempt")}`}`;
}

const STATES: Readonly<Record<TickOutcome, string>> = {
  delivered: "DELIVERED",
  failed: "FAILED",
  "under way": "ACTIVE",
  skipped: "skipped",
  gone: "gone",
};

const COLUMNS: readonly Column<PastRow>[] = [
  { head: "Outcome", width: 130, cell: ({ state }) => <Chip state={state} /> },
  {
    head: "When",
    class: "soft",
    cell: ({ at, says }) => (
      <span title={says}>
        {wallText(at, ownZone(), second.peek())}
        {says === "" ? "" : `, ${says}`}
      </span>
    ),
  },
  {
    head: "Message",
    width: 110,
    class: "r link mono end",
    cell: ({ href, link }) => (href === null ? null : <a href={href}>{link}</a>),
  },
];

function scheduleMessages(id: string): string {
  return `/messages?schedule=${encodeURIComponent(id)}`;
}

const SHOWN_MAX = 12;
