/** The queues: an order is kept, so many at a time. */
import { useState } from "preact/hooks";
import type { Queue } from "../../../sdk/src/answers/line.ts";
import type { WaitingRow } from "../../../sdk/src/answers/message.ts";
import { announce } from "../app/announce.ts";
import { call } from "../app/api.ts";
import { countText, counted } from "../app/format.ts";
import type { Resource } from "../app/resource.ts";
import { isReadOnly } from "../app/session.ts";
import { Blank } from "../parts/blank.tsx";
import { Button } from "../parts/button.tsx";
import { Chip } from "../parts/chip.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Meter } from "../parts/meter.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { queuePath, setLinePaused } from "./line.ts";
import { QueueDialog } from "./queue-dialog.tsx";
import { waitingText } from "./waiting-text.ts";
import { WhyCell } from "./why-cell.tsx";
import { inFlightOf, oldestAt, reasonsOf, whyQueueWaits } from "./why-waits.ts";

interface QueuesCardProps {
  readonly queues: Resource<readonly Queue[]>;
  readonly reasons: readonly WaitingRow[];
  readonly onCreate: () => void;
}

type Asked = { readonly queue: Queue; readonly what: "limit" | "delete" };

export function QueuesCard({ queues, reasons, onCreate }: QueuesCardProps) {
  const [asked, ask] = useState<Asked | null>(null);
  const close = (): void => ask(null);
  const actions = actionsColumn(ask);
  const columns = [...dataColumns(reasons), ...(isReadOnly.value ? [] : [actions])];
  return (
    <article class="card">
      <header>
        <h2>Queues</h2>
        <span class="muted hide-s">keep an order: oldest first, so many at a time</span>
      </header>
      <Table
        label="Queues"
        columns={columns}
        rows={queues.value ?? []}
        keyOf={({ name }) => name}
        hrefOf={messagesHref}
        isLoading={queues.isLoading}
        isStale={queues.error !== null}
        empty={
          <Blank icon="queue" title="No queue yet">
            <span class="soft">The first message to a queue creates it.</span>
            {isReadOnly.value ? null : (
              <Button isSmall onPress={onCreate}>
                New queue
              </Button>
            )}
          </Blank>
        }
      />
      {asked?.what === "limit" ? <QueueDialog queue={asked.queue} onClose={close} /> : null}
      {asked?.what === "delete" ? <DeleteDialog queue={asked.queue} onClose={close} /> : null}
    </article>
  );
}

function messagesHref({ name }: Queue): string {
  return `/messages?queue=${encodeURIComponent(name)}`;
}

function dataColumns(reasons: readonly WaitingRow[]): Column<Queue>[] {
  const of = ({ name }: Queue): WaitingRow[] => reasonsOf("queue", name, reasons);
  const oldest: Column<Queue> = {
    head: "Oldest",
    width: 80,
    class: "r muted end",
    cell: (queue) => {
      const at = oldestAt(of(queue));
      return at === null ? "–" : <Time at={at} />;
    },
  };
  return [
    {
      head: "Queue",
      class: "full",
      cell: (queue) => (
        <span class="row">
          <a class="cut" href={messagesHref(queue)} title={queue.name}>
            <b>{queue.name}</b>
          </a>
          {queue.paused ? <Chip state="paused" /> : null}
        </span>
      ),
    },
    {
      head: "Slots",
      width: 210,
      class: "mtr",
      cell: (queue) => <Slots queue={queue} rows={of(queue)} />,
    },
    {
      head: "Waiting",
      width: 84,
      class: "r num lb",
      cell: (queue) => waitingText(queue.lag - inFlightOf(queue, of(queue)), of(queue)),
    },
    ...(reasons.length === 0 ? [] : [oldest]),
    {
      head: "Why they wait",
      width: 230,
      class: "soft why-cell",
      cell: (queue) => <WhyCell why={whyQueueWaits(queue, of(queue))} rows={of(queue)} />,
    },
  ];
}

interface SlotsProps {
  readonly queue: Queue;
  readonly rows: readonly WaitingRow[];
}

function Slots({ queue, rows }: SlotsProps) {
  const { parallelism, paused } = queue;
  const used = inFlightOf(queue, rows);
  if (paused && used === 0)
    return <span class="small muted">{countText(parallelism)} at a time</span>;
  return (
    <>
      <span class="small num">
        {countText(used)}
        <span class="muted"> of {countText(parallelism)}</span>
      </span>
      <Meter used={used} max={parallelism} isHolding={used >= parallelism && rows.length > 0} />
    </>
  );
}

function actionsColumn(ask: (asked: Asked) => void): Column<Queue> {
  return {
    head: <span class="sr">Actions</span>,
    width: 120,
    class: "r acts-cell",
    cell: (queue) => {
      const { name, paused } = queue;
      const toggle = (): Promise<void> => setLinePaused({ kind: "queue", name }, !paused);
      return (
        <span class="row tail-end">
          <Button
            isSmall
            kind="quiet"
            icon="edit"
            label={`Change the limit of ${name}`}
            onPress={() => ask({ queue, what: "limit" })}
          />
          <Button
            isSmall
            kind="quiet"
            icon={paused ? "play" : "pause"}
            label={`${paused ? "Resume" : "Pause"} ${name}`}
            onPress={toggle}
          />
          <Button
            isSmall
            kind="quiet"
            icon="trash"
            label={`Delete ${name}`}
            onPress={() =>
              void fullyCounted(queue).then((own) => ask({ queue: own, what: "delete" }))
            }
          />
        </span>
      );
    },
  };
}

/** The list counts large queues only in part; what is lost with one must be said in full. */
function fullyCounted(queue: Queue): Promise<Queue> {
  return call<Queue>(queuePath(queue.name)).catch(() => queue);
}

interface DeleteDialogProps {
  readonly queue: Queue;
  readonly onClose: () => void;
}

function DeleteDialog({ queue, onClose }: DeleteDialogProps) {
  const { name, lag } = queue;
  const remove = async (): Promise<void> => {
    await call(queuePath(name), { method: "DELETE" });
    announce(`Queue ${name} is deleted.`);
  };
  return (
    <Dialog
      title={`Delete queue ${name}?`}
      confirm={lag === 0 ? "Delete queue" : `Delete and cancel ${counted(lag, "message")}`}
      cancel="Keep it"
      isDanger
      onConfirm={remove}
      onClose={onClose}
    >
      <p class="soft">
        {lag === 0
          ? "No message is in it. A later message creates it again, one at a time."
          : `Its ${counted(lag, "message")} are canceled, which cannot be undone. To stop them for a while, pause the queue.`}
      </p>
    </Dialog>
  );
}
