/** Dead letters that match the filter, messages and runs each in their table. */
import { useEffect, useState } from "preact/hooks";
import { navigate } from "../app/router.ts";
import { isReadOnly } from "../app/session.ts";
import { Blank } from "../parts/blank.tsx";
import { Button } from "../parts/button.tsx";
import { announceFailure } from "../app/announce.ts";
import { deadQuery } from "./dead-filter.ts";
import type { DeadKind } from "./dead-letter.ts";
import { countMatching, useDeadList } from "./dead-list.ts";
import type { DeadSelection } from "./dead-selection.ts";
import { DeadTable } from "./dead-table.tsx";

interface DeadListsProps {
  readonly query: URLSearchParams;
  readonly now: number;
  readonly selection: DeadSelection;
  readonly version: number;
}

export function DeadLists(props: DeadListsProps) {
  const [empty, setEmpty] = useState<ReadonlySet<DeadKind>>(new Set());
  const kinds = (["messages", "runs"] as const).filter(
    (kind) => deadQuery(props.query, kind, props.now) !== null,
  );
  const note = (kind: DeadKind, isEmpty: boolean): void => {
    if (empty.has(kind) === isEmpty) return;
    setEmpty(new Set([...empty, kind].filter((each) => each !== kind || isEmpty)));
  };
  return (
    <>
      {kinds.every((kind) => empty.has(kind)) ? (
        <div class="card">
          <Blank title="No dead letter matches these filters">
            <Button isSmall onPress={() => navigate("/dead?group=error", "replace")}>
              Remove the filters
            </Button>
          </Blank>
        </div>
      ) : null}
      {kinds.map((kind) => (
        <ListCard key={kind} {...props} kind={kind} onEmpty={(isEmpty) => note(kind, isEmpty)} />
      ))}
    </>
  );
}

interface ListCardProps extends DeadListsProps {
  readonly kind: DeadKind;
  readonly onEmpty: (isEmpty: boolean) => void;
}

function ListCard({ query, now, kind, selection, version, onEmpty }: ListCardProps) {
  const asked = deadQuery(query, kind, now) ?? {};
  const list = useDeadList(kind, asked, PAGE, version);
  const isRead = !list.isLoading && list.error === null && !list.hasMore;
  const isEmpty = isRead && list.letters.length === 0;
  useEffect(() => onEmpty(isEmpty), [isEmpty]);
  if (isEmpty) return null;
  const key = `all ${kind}`;
  const isWhole = selection.chosen.batches.has(key);
  const selectAll = async (): Promise<void> => {
    try {
      const { count, isAtLeast } = await countMatching(kind, asked);
      selection.toggleBatch(
        { key, kind, count, isAtLeast, query: asked },
        list.letters.map(({ dlqId }) => dlqId),
      );
    } catch (error) {
      announceFailure("They could not be counted.", error);
    }
  };
  const own = selection.forTable(
    isWhole ? (selection.chosen.batches.get(key) ?? null) : null,
    kind,
  );
  const keys = isWhole ? new Set(list.letters.map(({ dlqId }) => dlqId)) : own.keys;
  return (
    <div class="card">
      <header>
        <h2>{kind === "messages" ? "Messages" : "Runs"}</h2>
        <div class="acts">
          {isReadOnly.value || isWhole ? null : (
            <Button isSmall kind="quiet" onPress={selectAll}>
              Select all that match
            </Button>
          )}
        </div>
      </header>
      <DeadTable kind={kind} list={list} selection={{ ...own, keys }} of={null} hasStatus />
    </div>
  );
}

const PAGE = 100;
