/** Destinations of this hour and the one before: those that fail, and the busiest, with their last 24 hours. */
import type { Overview, OverviewHost } from "../answers/stats.ts";
import { serverNow } from "../app/clock.ts";
import { countText, durationText, shareText } from "../app/format.ts";
import type { Resource } from "../app/resource.ts";
import { type Column, Table } from "../parts/table.tsx";
import { errorOf } from "../message/message-row.ts";
import { Spark } from "../parts/spark.tsx";
import { filled, sinceText } from "./stats.ts";

export function HostTables({ hosts }: { readonly hosts: Resource<Overview["hosts"]> }) {
  const all = hosts.value?.hosts ?? [];
  const failing = all
    .filter(({ stats }) => stats.failedAttempts > 0)
    .toSorted((one, other) => failedShare(other) - failedShare(one));
  const since = hosts.value === null ? "" : `since ${sinceText(hosts.value)}`;
  return (
    <div class="cols c2">
      <article class="card">
        <header>
          <h2>Failing destinations</h2>
          <span class="muted">{since}</span>
        </header>
        <Table
          label="Failing destinations"
          hasKeys={false}
          isLoading={hosts.isLoading}
          isStale={hosts.error !== null}
          rows={failing.slice(0, SHOWN_MAX)}
          keyOf={({ stats }) => stats.host}
          columns={FAILING}
          empty={<p class="pad muted">No attempt failed {since}.</p>}
        />
      </article>
      <article class="card">
        <header>
          <h2>Busiest destinations</h2>
          <span class="muted">{since}</span>
        </header>
        <Table
          label="Busiest destinations"
          hasKeys={false}
          isLoading={hosts.isLoading}
          isStale={hosts.error !== null}
          rows={all.slice(0, SHOWN_MAX)}
          keyOf={({ stats }) => stats.host}
          columns={BUSIEST}
          empty={<p class="pad muted">Nothing was sent {since}.</p>}
        />
      </article>
    </div>
  );
}

function HostLink({ host, state }: { readonly host: string; readonly state?: string }) {
  return (
    <a
      href={`/messages?host=${encodeURIComponent(host)}${state === undefined ? "" : `&state=${state}`}`}
    >
      {host}
    </a>
  );
}

function failedShare({ stats }: OverviewHost): number {
  return stats.failedAttempts / stats.attempts;
}

function FailedShare({ row }: { readonly row: OverviewHost }) {
  const { failedAttempts, attempts } = row.stats;
  return (
    <span class={failedShare(row) >= 0.1 ? "bad" : "warn"}>
      {shareText(failedAttempts, attempts)}
    </span>
  );
}

/** Hours in which the host was not called count as 0. */
function Trend({ row, field }: { readonly row: OverviewHost; readonly field: TrendField }) {
  const values = filled(row.hours, "24h", serverNow()).map((point) => point[field]);
  const words = field === "attempts" ? "attempts" : "failed attempts";
  return (
    <Spark
      values={values}
      isBad={field === "failedAttempts"}
      label={`${countText(values.reduce((sum, each) => sum + each, 0))} ${words} in 24 hours, at most ${countText(Math.max(...values))} an hour`}
    />
  );
}

type TrendField = "attempts" | "failedAttempts";

function LastError({ row }: { readonly row: OverviewHost }) {
  if (row.lastError === undefined) return <span class="muted">–</span>;
  const text = errorOf(row.lastError) ?? "–";
  return (
    <span class="soft" title={text}>
      {text}
    </span>
  );
}

const FAILING: readonly Column<OverviewHost>[] = [
  {
    head: "Host",
    class: "full",
    cell: ({ stats }) => <HostLink host={stats.host} state="ERROR" />,
  },
  { head: "Failed", width: 84, class: "r", cell: (row) => <FailedShare row={row} /> },
  {
    head: "24 hours",
    width: 96,
    hide: "s",
    cell: (row) => <Trend row={row} field="failedAttempts" />,
  },
  {
    head: "Last error",
    width: 150,
    class: "end",
    cell: (row) => <LastError row={row} />,
  },
];

const BUSIEST: readonly Column<OverviewHost>[] = [
  { head: "Host", class: "full", cell: ({ stats }) => <HostLink host={stats.host} /> },
  {
    head: "Attempts",
    width: 84,
    class: "r",
    cell: ({ stats }) => countText(stats.attempts),
  },
  {
    head: "24 hours",
    width: 96,
    hide: "s",
    cell: (row) => <Trend row={row} field="attempts" />,
  },
  {
    head: "p95",
    width: 90,
    class: "r end",
    cell: ({ stats: { p95Ms } }) => (p95Ms === null ? "–" : durationText(p95Ms)),
  },
];

const SHOWN_MAX = 5;
