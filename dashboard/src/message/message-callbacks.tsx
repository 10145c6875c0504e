/** The callbacks that a message caused. Left out where the server cannot list them. */
import type { Callback, Callbacks, Message } from "../../../sdk/src/answers/message.ts";
import { useResource } from "../app/resource.ts";
import { Chip } from "../parts/chip.tsx";
import { DestinationText } from "../parts/destination.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { messageHref } from "./message-href.ts";

export function MessageCallbacks({
  id,
  message,
}: {
  readonly id: string;
  readonly message: Message | null;
}) {
  const list = useResource<Callbacks>(`/v2/messages/${encodeURIComponent(id)}/callbacks`, 15_000);
  if (list.value === null || message === null) return null;
  const { callback, failureCallback } = message;
  return (
    <article class="card">
      <header>
        <h2>Callbacks</h2>
        <span class="muted">
          {callback === undefined && failureCallback === undefined ? "" : "sent after each attempt"}
        </span>
      </header>
      <Table
        label="Callbacks"
        hasKeys={false}
        rows={withNumbers(list.value.callbacks)}
        keyOf={({ messageId }) => messageId}
        columns={COLUMNS}
        empty={<p class="pad muted">None yet.</p>}
      />
      <div class="more">
        <span>
          {failureCallback === undefined ? (
            <>
              Failure callback: not set. Send one with <code>Svc-Failure-Callback</code>.
            </>
          ) : (
            <>Failure callback: {failureCallback}</>
          )}
        </span>
      </div>
    </article>
  );
}

interface NumberedCallback extends Callback {
  /** Of the attempt that it is about; null where not all are listed. */
  readonly number: number | null;
}

/** The newest is first, and each attempt has one. */
function withNumbers(callbacks: readonly Callback[]): NumberedCallback[] {
  const ofAttempts = callbacks.filter(({ kind }) => kind === "callback");
  return callbacks.map((callback) => {
    const at = ofAttempts.indexOf(callback);
    const isKnown = at >= 0 && callbacks.length < LISTED_MAX;
    return { ...callback, number: isKnown ? ofAttempts.length - at : null };
  });
}

const LISTED_MAX = 100;

const COLUMNS: readonly Column<NumberedCallback>[] = [
  { head: "State", width: 124, cell: ({ state }) => <Chip state={state} /> },
  {
    head: "To",
    class: "full",
    cell: (row) => (
      <a href={messageHref({ id: row.messageId })}>
        <DestinationText method="POST" url={row.url} />
      </a>
    ),
  },
  {
    head: "About",
    width: 84,
    class: "soft",
    cell: ({ kind, number }) =>
      kind === "callback" ? `attempt${number === null ? "" : ` ${number}`}` : "failure",
  },
  {
    head: "Sent",
    width: 84,
    class: "r muted end",
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
];
