/** The runs, newest first, live. */
import { useRef, useState } from "preact/hooks";
import { counted } from "../app/format.ts";
import { useKeys } from "../app/keys.ts";
import { navigate, place, setQuery } from "../app/router.ts";
import { isReadOnly } from "../app/session.ts";
import { Blank } from "../parts/blank.tsx";
import { Button } from "../parts/button.tsx";
import { wordOf } from "../parts/chip.tsx";
import { isAtRest } from "../parts/at-rest.ts";
import { LiveButton } from "../parts/live-button.tsx";
import { Segmented } from "../parts/segmented.tsx";
import { Table } from "../parts/table.tsx";
import { Bar } from "../shell/bar.tsx";
import { CommonNotices } from "../shell/shell.tsx";
import { hrefsOf, runColumns } from "./run-columns.tsx";
import { RUN_FILTER_STATES, type RunFilter, runFilterOf } from "./run-filter.ts";
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
          <Button kind="primary" icon="plus" shortcut="c" onPress={() => setStarting(true)}>
            Start a run
          </Button>
        )}
      </Bar>
      <div class="body">
        <CommonNotices />
        <div class="stack">
          <RunFilterBar runs={list.runs} />
          <div class="row scroll-x">
            <Segmented
              label="State"
              value={filter.state ?? ""}
              options={["" as const, ...RUN_FILTER_STATES].map((value) => ({
                value,
                name: value === "" ? "All" : wordOf(value),
              }))}
              onChoose={(state) => setQuery({ state })}
            />
          </div>
        </div>
        <div class="card tail" ref={card}>
          <RunsTable list={list} filter={filter} />
        </div>
        {list.runs.length === 0 ? null : <Legend />}
      </div>
      {isStarting ? (
        <StartDialog
          url={filter.workflow ?? list.runs[0]?.workflowUrl ?? ""}
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
      {list.pendingCount === 0 ? null : (
        <button type="button" class="newpill" onClick={list.showPending}>
          {counted(list.pendingCount, "new run")}
        </button>
      )}
      <Table
        label="Runs"
        columns={runColumns(list.runs)}
        rows={list.runs}
        keyOf={runKey}
        hrefOf={hrefsOf(list.runs)}
        isLoading={list.isLoading}
        isStale={list.error !== null}
        freshKeys={list.freshKeys}
        empty={<NoRun list={list} filter={filter} />}
      />
      {list.runs.length === 0 ? null : (
        <div class="more">
          <span>{counted(list.runs.length, "run")}</span>
          <span class="hide-s">
            <kbd>j</kbd> <kbd>k</kbd> move · <kbd>Enter</kbd> open · <kbd>Space</kbd> pause
          </span>
          {list.hasMore ? (
            <Button isSmall onPress={list.loadMore} whyNot={list.isLoadingMore ? "Loading" : null}>
              Load older
            </Button>
          ) : null}
        </div>
      )}
    </>
  );
}

function NoRun({ list, filter }: { readonly list: RunList; readonly filter: RunFilter }) {
  if (list.error !== null) {
    return (
      <Blank icon="alert" title="These runs cannot be shown">
        <span class="soft">{list.error.message}</span>
        <Button isSmall onPress={list.reload}>
          Try again
        </Button>
      </Blank>
    );
  }
  if (list.isNone) {
    return (
      <Blank icon="runs" title="No run yet">
        <span class="soft">
          A workflow is a function of yours that calls its steps through Postrider, so that it
          survives a restart. Start a run of it, and its steps appear here.
        </span>
      </Blank>
    );
  }
  return (
    <Blank title="No run matches these filters">
      {filter.time === "1h" || filter.time === "24h" ? (
        <Button isSmall onPress={() => setQuery({ time: "7d" })}>
          Search the last 7 days
        </Button>
      ) : (
        <Button isSmall onPress={() => navigate("/runs", "replace")}>
          Remove the filters
        </Button>
      )}
    </Blank>
  );
}

function Legend() {
  return (
    <p class="hint row wrap">
      <span class="key ok" />
      done <span class="key bad" />
      failed <span class="key live" />
      running <span class="key hatched" />
      waiting or asleep. The bar counts steps, its lengths are not times.
    </p>
  );
}
