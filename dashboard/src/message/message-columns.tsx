/** The columns of a table of messages. */
import type { WaitingRow } from "../../../sdk/src/answers/message.ts";
import { durationText } from "../app/format.ts";
import { second } from "../app/clock.ts";
import { Chip } from "../parts/chip.tsx";
import { DestinationText } from "../parts/destination.tsx";
import type { Column } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { type MessageRow, waitingOf } from "./message-row.ts";

export function messageColumns(waiting: readonly WaitingRow[]): Column<MessageRow>[] {
  return [
    {
      head: "State",
      width: 160,
      cell: (row) => <Chip state={row.state} waiting={waitingOf(row, waiting, second.peek())} />,
    },
    {
      head: "Destination",
      class: "full",
      cell: (row) => (
        <a href={messageHref(row)}>
          <DestinationText method={row.method} url={row.url} id={row.id} />
        </a>
      ),
    },
    { head: "Label", width: 108, hide: "s", cell: ({ labels }) => <Labels labels={labels} /> },
    {
      head: "Queue or key",
      width: 132,
      hide: "m",
      class: "soft",
      cell: ({ queue, key }) => queue ?? key ?? <span class="muted">–</span>,
    },
    { head: "Attempts", width: 112, cell: (row) => <AttemptPips row={row} /> },
    {
      head: "Took",
      width: 84,
      hide: "s",
      class: "r soft",
      cell: ({ tookMs }) => (tookMs === null ? "–" : durationText(tookMs)),
    },
    {
      head: "Changed",
      width: 84,
      class: "r muted end",
      cell: ({ changedAt }) => <Time at={changedAt} />,
    },
  ];
}

export function messageHref({ id }: { readonly id: string }): string {
  return `/messages/${encodeURIComponent(id)}`;
}

export function Labels({ labels }: { readonly labels: readonly string[] }) {
  const [first, ...rest] = labels;
  if (first === undefined) return null;
  return (
    <>
      <span class="tag" title={labels.join(", ")}>
        {first}
        {rest.length === 0 ? "" : ` +${rest.length}`}
      </span>
    </>
  );
}

/** One mark for each attempt: failed, delivered, being sent, not yet made. */
function AttemptPips({ row }: { readonly row: MessageRow }) {
  const { attempts, attemptsMax, state } = row;
  if (attempts === null) return <span class="muted">of {attemptsMax}</span>;
  const isSending = state === "ACTIVE";
  const made = attempts + (isSending ? 1 : 0);
  const marks = Array.from(
    { length: Math.min(PIPS_MAX, isEnded(state) ? Math.max(made, 1) : attemptsMax) },
    (_, index) => {
      if (isSending && index === attempts) return "l";
      if (index >= attempts) return state === "CANCELED" && index === 0 ? "s" : "";
      return state === "DELIVERED" && index === attempts - 1 ? "d" : "e";
    },
  );
  return (
    <span class="row" title={row.error ?? undefined}>
      <span class="pips" aria-hidden="true">
        {marks.map((mark, index) => (
          <i key={index} class={mark} />
        ))}
      </span>
      {made}/{attemptsMax}
    </span>
  );
}

function isEnded(state: MessageRow["state"]): boolean {
  return state === "DELIVERED" || state === "FAILED" || state === "CANCELED";
}

const PIPS_MAX = 6;
