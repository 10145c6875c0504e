/** Destinations of this hour and the one before: those that fail, and the busiest, with their last 24 hours. */
import type { LogPage } from "../../../sdk/src/answers/message.ts";
import type { HostStats, Hosts, Series } from "../answers/stats.ts";
import { countText, durationText, shareText } from "../app/format.ts";
import { type Resource, useResource } from "../app/resource.ts";
import { type Column, Table } from "../parts/table.tsx";
import { errorOf } from "../message/message-row.ts";
import { Spark } from "../parts/spark.tsx";
import { filled, sinceText } from "./stats.ts";

export function HostTables({ hosts }: { readonly hosts: Resource<Hosts> }) {
  const all = hosts.value?.hosts ?? [];
  const failing = all
    .filter(({ failedAttempts }) => failedAttempts > 0)
    .toSorted(
      (one, other) => other.failedAttempts / other.attempts - one.failedAttempts / one.attempts,
    );
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
          keyOf={({ host }) => host}
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
          keyOf={({ host }) => host}
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

function FailedShare({ row }: { readonly row: HostStats }) {
  const share = row.failedAttempts / row.attempts;
  return (
    <span class={share >= 0.1 ? "bad" : "warn"}>{shareText(row.failedAttempts, row.attempts)}</span>
  );
}

/** Hours in which the host was not called count as 0. */
function Trend({ host, field }: { readonly host: string; readonly field: TrendField }) {
  const { value, readAt } = useResource<Series>(
    `/v2/stats?step=hour&host=${encodeURIComponent(host)}`,
    60_000,
  );
  if (value === null || readAt === null) return null;
  const values = filled(value.points, "24h", readAt).map((point) => point[field]);
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

function LastError({ host }: { readonly host: string }) {
  const log = useResource<LogPage>(
    `/v2/logs?host=${encodeURIComponent(host)}&state=ERROR&count=1`,
    30_000,
  );
  const [entry] = log.value?.logs ?? [];
  if (entry === undefined) return <span class="muted">–</span>;
  const text = errorOf(entry) ?? "–";
  return (
    <span class="soft" title={text}>
      {text}
    </span>
  );
}

const FAILING: readonly Column<HostStats>[] = [
  {
    head: "Host",
    class: "full",
    cell: ({ host }) => <HostLink host={host} state="ERROR" />,
  },
  { head: "Failed", width: 84, class: "r", cell: (row) => <FailedShare row={row} /> },
  {
    head: "24 hours",
    width: 96,
    hide: "s",
    cell: ({ host }) => <Trend host={host} field="failedAttempts" />,
  },
  {
    head: "Last error",
    width: 150,
    class: "end",
    cell: ({ host }) => <LastError host={host} />,
  },
];

const BUSIEST: readonly Column<HostStats>[] = [
  { head: "Host", class: "full", cell: ({ host }) => <HostLink host={host} /> },
  {
    head: "Attempts",
    width: 84,
    class: "r",
    cell: ({ attempts }) => countText(attempts),
  },
  {
    head: "24 hours",
    width: 96,
    hide: "s",
    cell: ({ host }) => <Trend host={host} field="attempts" />,
  },
  {
    head: "p95",
    width: 90,
    class: "r end",
    cell: ({ p95Ms }) => (p95Ms === null ? "–" : durationText(p95Ms)),
  },
];

const SHOWN_MAX = 5;
