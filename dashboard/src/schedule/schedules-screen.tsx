/** Every schedule: when it runs in words, how it went last, and when it runs next. */
import { useState } from "preact/hooks";
import type { Schedule } from "../../../sdk/src/answers/schedule.ts";
import { countText } from "../app/format.ts";
import { useKeys } from "../app/keys.ts";
import { type Resource, useResource } from "../app/resource.ts";
import { navigate } from "../app/router.ts";
import { isReadOnly } from "../app/session.ts";
import { curlOf } from "../message/commands.ts";
import { Blank } from "../parts/blank.tsx";
import { Button } from "../parts/button.tsx";
import { CodeSample } from "../parts/code-sample.tsx";
import { Chip } from "../parts/chip.tsx";
import { DestinationText } from "../parts/destination.tsx";
import { LoadProblem } from "../parts/load-problem.tsx";
import { Table, type Column } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { Bar } from "../shell/bar.tsx";
import { CommonNotices } from "../shell/shell.tsx";
import { cronWords } from "./cron-words.ts";
import { outcomeOf } from "./past-ticks.ts";
import { isUrl, runNow, scheduleHref, setPaused } from "./schedule.ts";
import { ScheduleDialog } from "./schedule-dialog.tsx";
import { TickStrip } from "./tick-strip.tsx";
import { ownZone, placeOf, splitZone } from "./zone.ts";

export function SchedulesScreen() {
  const schedules = useResource<readonly Schedule[]>("/v2/schedules?ticks=true", 15_000);
  const [isCreating, setCreating] = useState(false);
  const create = (): void => {
    if (!isReadOnly.value) setCreating(true);
  };
  useKeys({ c: create });
  const count = schedules.value?.length ?? 0;
  return (
    <>
      <Bar
        title="Schedules"
        beside={count === 0 ? null : <span class="muted num">{countText(count)}</span>}
      >
        <span class="muted small hide-s">Your zone: {placeOf(ownZone())}</span>
        {isReadOnly.value ? null : (
          <Button kind="primary" icon="plus" shortcut="c" onPress={create}>
            New schedule
          </Button>
        )}
      </Bar>
      <div class="body">
        <CommonNotices />
        <LoadProblem of={schedules} what="the schedules" />
        <div class="card">
          <ScheduleTable schedules={schedules} onCreate={create} />
        </div>
      </div>
      {isCreating ? (
        <ScheduleDialog
          onClose={() => setCreating(false)}
          onSaved={(id) => navigate(scheduleHref(id))}
        />
      ) : null}
    </>
  );
}

interface ScheduleTableProps {
  readonly schedules: Resource<readonly Schedule[]>;
  readonly onCreate: () => void;
}

function ScheduleTable({ schedules, onCreate }: ScheduleTableProps) {
  return (
    <Table
      label="Schedules"
      columns={isReadOnly.value ? COLUMNS : [...COLUMNS, ACTIONS]}
      rows={schedules.value ?? []}
      keyOf={({ scheduleId }) => scheduleId}
      hrefOf={({ scheduleId }) => scheduleHref(scheduleId)}
      isLoading={schedules.isLoading}
      isStale={schedules.error !== null}
      empty={
        <Blank icon="clock" title="No schedule yet">
          <span class="soft">A schedule sends a message every time its cron expression fires.</span>
          <CodeSample label="A schedule, every ten minutes" text={createCommand()} />
          {isReadOnly.value ? null : (
            <Button isSmall onPress={onCreate}>
              New schedule
            </Button>
          )}
        </Blank>
      }
    />
  );
}

function createCommand(): string {
  const { origin } = window.location;
  const headers = [
    ["Content-Type", "application/json"],
    ["Svc-Schedule-Id", "hello"],
    ["Svc-Cron", "*/10 * * * *"],
  ] as const;
  const url = `${origin}/v2/schedules/https://example.com/hook`;
  return curlOf(url, "$POSTRIDER_TOKEN", headers, '{"hello":"world"}');
}

const COLUMNS: readonly Column<Schedule>[] = [
  {
    head: "Schedule",
    width: 200,
    class: "full",
    cell: ({ scheduleId, isPaused }) => (
      <span class="row">
        <a class="cut" href={scheduleHref(scheduleId)} title={scheduleId}>
          <b>{scheduleId}</b>
        </a>
        {isPaused ? <Chip state="paused" /> : null}
      </span>
    ),
  },
  { head: "When", class: "soft full", cell: ({ cron }) => <When cron={cron} /> },
  {
    head: "Destination",
    width: 250,
    class: "brief",
    hide: "m",
    cell: ({ method, destination }) => <Destination method={method} destination={destination} />,
  },
  {
    head: "Last ten",
    width: 196,
    cell: (schedule) => <LastTicksCell schedule={schedule} />,
  },
  {
    head: "Next",
    width: 96,
    class: "r end",
    cell: ({ isPaused, nextScheduleTime }) =>
      isPaused ? (
        <span class="muted">paused</span>
      ) : nextScheduleTime === undefined ? (
        "–"
      ) : (
        <Time at={nextScheduleTime} />
      ),
  },
];

const ACTIONS: Column<Schedule> = {
  head: <span class="sr">Actions</span>,
  width: 84,
  class: "r",
  hide: "s",
  cell: ({ scheduleId, isPaused }) => (
    <span class="row tail-end">
      <Button
        isSmall
        kind="quiet"
        icon={isPaused ? "play" : "pause"}
        label={`${isPaused ? "Resume" : "Pause"} ${scheduleId}`}
        onPress={() => setPaused(scheduleId, !isPaused)}
      />
      <Button
        isSmall
        kind="quiet"
        icon="message"
        label={`Run ${scheduleId} now`}
        onPress={() => runNow(scheduleId)}
      />
    </span>
  ),
};

/** In words where there are some, else as it is. */
export function When({ cron }: { readonly cron: string }) {
  const { zone, fields } = splitZone(cron);
  const words = cronWords(cron);
  const where = zone === "UTC" ? "" : `, ${placeOf(zone)}`;
  if (words === null) return <code title={cron}>{cron}</code>;
  return (
    <span class="when" title={`${words}${where}\n${cron}`}>
      <span class="cut">{words}</span>
      <span>{where}</span>
      <code class="muted cron">{fields}</code>
    </span>
  );
}

export function Destination(props: { readonly method: string; readonly destination: string }) {
  const { method, destination } = props;
  if (isUrl(destination)) return <DestinationText method={method} url={destination} />;
  return (
    <span class="dest">
      {method === "" ? null : <span class="m">{method}</span>}
      <a class="h cut" href={`/groups/${encodeURIComponent(destination)}`}>
        group: {destination}
      </a>
    </span>
  );
}

/** How the last ticks went, and when the newest one was. */
function LastTicksCell({ schedule }: { readonly schedule: Schedule }) {
  const { error, lastScheduleTime, lastTicks = [] } = schedule;
  const [newest] = lastTicks;
  if (newest === undefined) return <span class="muted">no tick yet</span>;
  const isBad = error !== undefined || outcomeOf(newest) === "failed";
  return (
    <span class="row" title={error}>
      <TickStrip ticks={lastTicks} />
      <span class={`small ${isBad ? "bad" : "muted"}`}>
        {isBad ? "failed " : ""}
        <Time at={lastScheduleTime ?? newest.time} />
      </span>
    </span>
  );
}
