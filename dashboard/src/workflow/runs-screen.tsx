/** The runs, newest first, live. */
import { useRef, useState } from "preact/hooks";
import { useKeys } from "../app/keys.ts";
import { navigate, place } from "../app/router.ts";
import { isReadOnly } from "../app/session.ts";
import { curlOf } from "../message/commands.ts";
import { Blank } from "../parts/blank.tsx";
import { Button } from "../parts/button.tsx";
import { CodeSample } from "../parts/code-sample.tsx";
import { isAtRest } from "../parts/at-rest.ts";
import { ListFoot, NewRows, NoRows, StateChoice } from "../parts/list-parts.tsx";
import { LiveButton } from "../parts/live-button.tsx";
import { Table } from "../parts/table.tsx";
import { Bar } from "../shell/bar.tsx";
import { CommonNotices } from "../shell/shell.tsx";
import { hrefsOf, runColumns } from "./run-columns.tsx";
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
          <RunFilterBar runs={list.rows} />
          <StateChoice states={RUN_FILTER_STATES} chosen={filter.state} />
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

function NoRun({ list, filter }: { readonly list: RunList; readonly filter: RunFilter }) {
  if (list.isNone && !isFiltered(filter)) {
    return (
      <Blank icon="runs" title="No run yet">
        <span class="soft">
          A workflow is a function of yours that calls its steps through Postrider, so that it
          survives a restart. Serve one, start a run of it, and its steps appear here.
        </span>
        <CodeSample label="A workflow" text={WORKFLOW} />
        <CodeSample label="Start a run" text={startCommand(window.location.origin)} />
        <a class="link" href="/docs">
          API reference
        </a>
      </Blank>
    );
  }
  return <NoRows list={list} what="run" time={filter.time} path="/runs" />;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

/** A server with one workflow: run it with Node, and start a run of it. */
const WORKFLOW = `// npm install @postrider/sdk; with postrider dev: POSTRIDER_DEV=1 node order.mjs
import { createServer } from ${quoted("node:http")};
import { serve } from ${quoted("@postrider/sdk/express")};

createServer(
  serve(async (context) => {
    const order = await context.run("load order", () => ({ total: 84.9 }));
    await context.sleep("cool off", "5s");
    await context.run("send mail", () => console.log("sent", order.total));
  }),
).listen(3000);`;

function startCommand(origin: string): string {
  return curlOf(`${origin}/v2/trigger/http://localhost:3000/`, "$POSTRIDER_TOKEN", [], "{}");
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
