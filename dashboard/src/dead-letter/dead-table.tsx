/** A table of dead letters of one kind. */
import { counted, countText } from "../app/format.ts";
import { Labels } from "../message/message-columns.tsx";
import { Button } from "../parts/button.tsx";
import { DestinationText } from "../parts/destination.tsx";
import type { Selection } from "../parts/selection.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { useOwnAccount } from "../shell/account-facts.ts";
import type { Batch } from "./dead-groups.ts";
import {
  answerText,
  type DeadKind,
  type DeadLetter,
  failedAt,
  hrefOf,
  stepIn,
} from "./dead-letter.ts";
import type { DeadList } from "./dead-list.ts";
import { groupCount } from "./group-count.ts";

interface DeadTableProps {
  readonly kind: DeadKind;
  readonly list: DeadList;
  readonly selection: Selection;
  /** All of the batch, where that is known. */
  readonly of: Batch | null;
  /** What the whole group has in common is not said in each row. */
  readonly hasStatus: boolean;
}

export function DeadTable({ kind, list, selection, of, hasStatus }: DeadTableProps) {
  const { letters } = list;
  return (
    <>
      <Table
        label={kind === "messages" ? "Messages that were not delivered" : "Runs that failed"}
        columns={columnsOf(letters, hasStatus, of === null || areDifferent(letters))}
        rows={letters}
        keyOf={({ dlqId }) => dlqId}
        selection={selection}
        isLoading={list.isLoading}
        isStale={list.error !== null}
        hasKeys={false}
        empty={
          <p class="pad muted">
            {list.error === null ? "None is left." : `Cannot load them: ${list.error.message}`}
          </p>
        }
      />
      {letters.length === 0 ? null : (
        <div class="more">
          <span>
            {of === null
              ? counted(letters.length, kind === "messages" ? "message" : "run")
              : `${countText(letters.length)} of ${groupCount({ ...of, count: Math.max(of.count, letters.length) })}`}
          </span>
          {list.hasMore ? (
            <Button isSmall onPress={list.loadMore} whyNot={list.isLoadingMore ? "Loading" : null}>
              Load more
            </Button>
          ) : null}
        </div>
      )}
    </>
  );
}

/** Where all of a group said the same, its head says it once. */
function areDifferent(letters: readonly DeadLetter[]): boolean {
  return new Set(letters.map(saidIn)).size > 1;
}

/** What none of the letters has takes no room. */
function columnsOf(
  letters: readonly DeadLetter[],
  hasStatus: boolean,
  hasError: boolean,
): Column<DeadLetter>[] {
  const hasLine = letters.some((each) => lineOf(each) !== undefined);
  const hasLabel = letters.some(({ labels = [] }) => labels.length > 0);
  return [
    DESTINATION,
    ...(hasStatus ? [STATUS] : []),
    ...(hasError ? [SAID] : []),
    ATTEMPTS,
    ...(hasLine ? [LINE] : []),
    ...(hasLabel ? [LABEL] : []),
    { head: "Removed", width: 84, hide: "s", class: "r muted", cell: removalOf },
    {
      head: "Failed",
      width: 84,
      class: "r muted end",
      cell: (letter) => <Time at={failedAt(letter)} />,
    },
  ];
}

const DESTINATION: Column<DeadLetter> = {
  head: "Destination",
  class: "full",
  cell: (letter) => (
    <a href={hrefOf(letter)} data-stop>
      {letter.workflowRunId === undefined ? (
        <DestinationText method={letter.method ?? ""} url={letter.url} id={letter.messageId} />
      ) : (
        <DestinationText
          method=""
          url={letter.workflowUrl ?? letter.url}
          id={letter.workflowRunId}
        />
      )}
    </a>
  ),
};
const STATUS: Column<DeadLetter> = {
  head: "Last answer",
  width: 96,
  cell: ({ responseStatus, error }) => (
    <span class="status bad cut" title={error}>
      {responseStatus === 0 ? "none" : responseStatus}
    </span>
  ),
};
const SAID: Column<DeadLetter> = {
  head: "Error",
  width: 260,
  class: "soft said",
  cell: (letter) => <Said letter={letter} />,
};
const ATTEMPTS: Column<DeadLetter> = {
  head: "Attempts",
  width: 76,
  class: "r soft",
  cell: ({ attempts }) => (
    <>
      {countText(attempts)}
      <span class="only-s"> {attempts === 1 ? "attempt" : "attempts"}</span>
    </>
  ),
};
const LINE: Column<DeadLetter> = {
  head: "Queue or key",
  width: 120,
  hide: "m",
  class: "soft",
  cell: (letter) => lineOf(letter) ?? <span class="muted">–</span>,
};
const LABEL: Column<DeadLetter> = {
  head: "Label",
  width: 110,
  hide: "s",
  cell: ({ labels }) => <Labels labels={labels ?? []} />,
};

function lineOf({ queueName, flowControlKey }: DeadLetter): string | undefined {
  return queueName ?? flowControlKey;
}

function removalOf(letter: DeadLetter) {
  return <Removal letter={letter} />;
}

/** It can be retried until then. */
function Removal({ letter }: { readonly letter: DeadLetter }) {
  const { value } = useOwnAccount();
  if (value === null) return null;
  return <Time at={failedAt(letter) + value.max_dlq_retention_time_milis} />;
}

function saidIn(letter: DeadLetter): string {
  const step = stepIn(letter);
  const text = answerText(letter);
  return step === null ? text : `${step}: ${text}`;
}

function Said({ letter }: { readonly letter: DeadLetter }) {
  const shown = saidIn(letter);
  return <span title={shown}>{shown === "" ? "–" : shown}</span>;
}
