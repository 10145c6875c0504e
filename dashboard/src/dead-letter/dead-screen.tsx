/** What was not delivered and what failed, by error or as a list, to act on many at once. */
import { useEffect, useRef, useState } from "preact/hooks";
import { serverNow } from "../app/clock.ts";
import { countText } from "../app/format.ts";
import { useKeys } from "../app/keys.ts";
import { navigate, place, setQuery } from "../app/router.ts";
import { isReadOnly } from "../app/session.ts";
import { isAtRest } from "../parts/at-rest.ts";
import { Segmented } from "../parts/segmented.tsx";
import { Bar } from "../shell/bar.tsx";
import { useUsed } from "../shell/account-facts.ts";
import { CommonNotices } from "../shell/shell.tsx";
import { BulkDialog } from "./bulk-dialog.tsx";
import { type BulkOrder, job, startJob } from "./bulk-job.ts";
import { BulkResult, DeadBulkBar } from "./dead-bulk-bar.tsx";
import { DeadFilterBar } from "./dead-filter-bar.tsx";
import { type GroupedBy, groupedBy } from "./dead-filter.ts";
import { useDeadGroups } from "./dead-group-list.ts";
import { DeadGroupsCard } from "./dead-groups-card.tsx";
import type { DeadGroup } from "./dead-groups.ts";
import type { DeadAction } from "./dead-letter.ts";
import { DeadLists } from "./dead-lists.tsx";
import { countOf, type DeadSelection, useDeadSelection } from "./dead-selection.ts";
import { groupCount } from "./group-count.ts";
import { useStopKeys } from "./stop-keys.ts";

export function DeadScreen() {
  const { query } = place.value;
  const by = groupedBy(query);
  const card = useRef<HTMLDivElement>(null);
  const selection = useDeadSelection();
  const { chosen } = selection;
  const [version, setVersion] = useState(0);
  const isNothingChosen = chosen.batches.size + chosen.letters.size === 0;
  const groups = useDeadGroups(
    () => isNothingChosen && isAtRest(card.current) && !hasOpen(card.current),
    by,
  );
  // What is chosen in one view cannot be seen in another.
  useEffect(() => selection.clear(), [by]);
  useStopKeys(card);
  const isCounted = groups.groups?.every(({ isAtLeast }) => !isAtLeast) ?? false;
  const total = isCounted ? sumOf(groups.groups ?? []) : null;
  return (
    <>
      <DeadBar by={by} total={by === null ? null : total} />
      <div class="body">
        <CommonNotices />
        <BulkResult />
        <DeadFilterBar />
        <div class="stack" ref={card}>
          {by !== null ? (
            <DeadGroupsCard key={by} groups={groups} selection={selection} version={version} />
          ) : (
            <DeadLists query={query} now={serverNow()} selection={selection} version={version} />
          )}
        </div>
        {isReadOnly.value ? null : (
          <Bulk
            selection={selection}
            all={by === null ? [] : (groups.groups ?? [])}
            onEnd={() => {
              groups.reload();
              setVersion((before) => before + 1);
            }}
          />
        )}
      </div>
    </>
  );
}

interface DeadBarProps {
  readonly by: GroupedBy | null;
  /** As counted by the groups; null when they do not tell. */
  readonly total: number | null;
}

function DeadBar({ by, total }: DeadBarProps) {
  const used = useUsed("max_dlq_size");
  const count = total ?? used;
  return (
    <Bar
      title="Dead letters"
      beside={count === null ? null : <span class="muted num">{countText(count)}</span>}
    >
      <Segmented
        label="View"
        value={by ?? "none"}
        options={[
          { value: "error", name: "By error" },
          { value: "host", name: "By host" },
          { value: "none", name: "List" },
        ]}
        onChoose={(view) =>
          view === "none" ? setQuery({ group: view }) : navigate(`/dead?group=${view}`, "replace")
        }
      />
    </Bar>
  );
}

interface BulkProps {
  readonly selection: DeadSelection;
  /** Every group there is, for choosing all. */
  readonly all: readonly DeadGroup[];
  readonly onEnd: () => void;
}

/** The bar, the question before an action, and the keys of both. */
function Bulk({ selection, all, onEnd }: BulkProps) {
  const { chosen, clear } = selection;
  const [action, setAction] = useState<DeadAction | null>(null);
  useKeys({
    r: () => setAction(mainAction(countOf(chosen, "messages"), countOf(chosen, "runs"))),
    Escape: clear,
  });
  const begin = (order: BulkOrder): void => {
    clear();
    void startJob(order, onEnd);
  };
  const count = groupCount({
    count: sumOf(all),
    isAtLeast: all.some(({ isAtLeast }) => isAtLeast),
  });
  const isAll = all.every(({ key }) => chosen.batches.has(key));
  return (
    <>
      <DeadBulkBar
        chosen={chosen}
        onAction={setAction}
        onClear={clear}
        selectAll={isAll ? undefined : { count, onPress: () => selection.setBatches(all) }}
      />
      {action === null || job.value?.state === "running" ? null : (
        <BulkDialog
          action={action}
          chosen={chosen}
          onClose={() => setAction(null)}
          onConfirm={begin}
        />
      )}
    </>
  );
}

function sumOf(groups: readonly DeadGroup[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0);
}

/** What `r` does: messages first, as the primary button. */
function mainAction(messages: number, runs: number): DeadAction | null {
  if (messages > 0) return "retry";
  return runs > 0 ? "resume" : null;
}

function hasOpen(card: HTMLElement | null): boolean {
  return card?.querySelector(".group.open") !== null;
}
