/** The runs, newest first, live. */
import { useRef, useState } from "preact/hooks";
import { useKeys } from "../app/keys.ts";
import { navigate, place } from "../app/router.ts";
import { isReadOnly } from "../app/session.ts";
import { Button } from "../parts/button.tsx";
import { sampleRunStart } from "../message/sample-run.ts";
import { isAtRest } from "../parts/at-rest.ts";
import { ListFoot, NewRows, StateChoice } from "../parts/list-parts.tsx";
import { LiveButton } from "../parts/live-button.tsx";
import { Table } from "../parts/table.tsx";
import { Bar } from "../shell/bar.tsx";
import { CommonNotices } from "../shell/shell.tsx";
import { hrefsOf, runColumns } from "./run-columns.tsx";
import { NoRun } from "./no-run.tsx";
import { useRunCounts } from "./run-counts.ts";
import { isFiltered, RUN_FILTER_STATES, type RunFilter, runFilterOf } from "./run-filter.ts";
import { RunFilterBar } from "./run-filter-bar.tsx";
import { type RunList, useRunList } from "./run-list.ts";
import { runHref, runKey } from "./run-log.ts";
import { StartDialog } from "./start-dialog.tsx";

export function RunsScreen() {
  const filter = runFilterOf(place.value.query);
  const [isPaused, setPaused] = useState(false);
  const [isStarting, setStarting] = useState(false);
  const card = useRef<HTMLDivElement>(null);
  const list = useRunList(filter, !isPaused, () => isAtRest(card.current));
  const counts = useRunCounts(filter);
  // Then the sample is the one thing to press.
  const isFirst = list.isNone && !isFiltered(filter) && sampleRunStart() !== null;
  useKeys({
    " ": () => setPaused(!isPaused),
    ".": list.showPending,
    ...(isReadOnly.value ? {} : { c: () => setStarting(true) }),
  });
  return (
    <>
      <Bar title="Runs">
        <LiveButton isPaused={isPaused} onPress={() => setPaused(!isPaused)} />
        {isReadOnly.value ? null : (
          <Button
            kind={isFirst ? "" : "primary"}
            icon="plus"
            shortcut="c"
            onPress={() => setStarting(true)}
          >
            Start a run
          </Button>
        )}
      </Bar>
      <div class="body">
        <CommonNotices />
        <div class="stack">
          <RunFilterBar runs={list.rows} />
          <StateChoice states={RUN_FILTER_STATES} chosen={filter.state} counts={counts} />
        </div>
        <div class="card tail" ref={card}>
          <RunsTable list={list} filter={filter} />
        </div>
        {list.rows.length === 0 ? null : <Legend />}
      </div>
      {isStarting ? (
        <StartDialog
          url={filter.workflow ?? list.rows[0]?.workflowUrl ?? ""}
          onClose={() => setStarting(false)}
          onStarted={(id) => navigate(runHref(id))}
        />
      ) : null}
    </>
  );
}

function RunsTable({ list, filter }: { readonly list: RunList; readonly filter: RunFilter }) {
  return (
    <>
      <NewRows list={list} what="new run" />
      <Table
        label="Runs"
        columns={runColumns(list.rows)}
        rows={list.rows}
        keyOf={runKey}
        hrefOf={hrefsOf(list.rows)}
        isLoading={list.isLoading}
        isStale={list.error !== null}
        freshKeys={list.freshKeys}
        empty={<NoRun list={list} filter={filter} />}
      />
      <ListFoot list={list} what="run" />
    </>
  );
}

function Legend() {
  return (
    <p class="hint row wrap hide-s">
      <span class="key ok" />
      done <span class="key bad" />
      failed <span class="key live" />
      running <span class="key hatched" />
      waiting or asleep. The bar counts steps, its lengths are not times.
    </p>
  );
}
