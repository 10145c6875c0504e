/** The columns of a table of messages. */
import type { Wait, WaitingRow } from "../../../sdk/src/answers/message.ts";
import { durationText } from "../app/format.ts";
import { Chip } from "../parts/chip.tsx";
import { DestinationText } from "../parts/destination.tsx";
import type { Column } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { HeldWords } from "./held-by.tsx";
import { messageHref } from "./message-href.ts";
import { type MessageRow, waitingOf } from "./message-row.ts";

export function messageColumns(waiting: readonly WaitingRow[]): Column<MessageRow>[] {
  return [
    {
      head: "State",
      width: 160,
      cell: (row, now) => <Chip state={row.state} waiting={waitingOf(row, waiting, now)} />,
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
    {
      head: "Error, queue or key",
      width: 250,
      class: "soft told",
      cell: (row, now) => <Told row={row} wait={waitingOf(row, waiting, now)} />,
    },
    { head: "Label", width: 108, hide: "m", cell: ({ labels }) => <Labels labels={labels} /> },
    { head: "Attempts", width: 112, cell: (row) => <AttemptPips row={row} /> },
    {
      head: "Took",
      width: 84,
      hide: "m",
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

/** The last error of what has failed or is retried; of the others what holds them, or where they stand. */
function Told({ row, wait }: { readonly row: MessageRow; readonly wait: Wait | null }) {
  if (row.error !== null && TELLING.has(row.state)) {
    return (
      <span class={row.state === "RETRY" ? "warn" : "bad"} title={row.error}>
        {row.error}
      </span>
    );
  }
  if (wait !== null && wait.reason !== "delay") {
    return <HeldWords wait={wait} />;
  }
  const { queue, key } = row;
  if (queue === null && key === null) return null;
  return <>{queue === null ? `key ${key}` : `queue ${queue}`}</>;
}

const TELLING: ReadonlySet<string> = new Set(["RETRY", "ERROR", "FAILED"]);

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
