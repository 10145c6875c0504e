/** How much an account sent, by day. */
import { useState } from "preact/hooks";
import type { Account } from "../../../sdk/src/answers/account.ts";
import type { AccountStats } from "../answers/account.ts";
import { countText } from "../app/format.ts";
import { useResource } from "../app/resource.ts";
import { LoadProblem } from "../parts/load-problem.tsx";
import { Segmented } from "../parts/segmented.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { DayMeter } from "./account-columns.tsx";
import { consolePath } from "./account.ts";

type Day = AccountStats["days"][number];

export function AccountDays({ account }: { readonly account: Account }) {
  const [period, setPeriod] = useState<"7d" | "30d">("7d");
  const stats = useResource<AccountStats>(
    `${consolePath("stats", account.id)}?period=${period}`,
    30_000,
  );
  const { value } = stats;
  return (
    <article class="card">
      <header>
        <h2>Messages by day</h2>
        <span class="muted hide-s">UTC</span>
        <div class="acts">
          <Segmented
            label="Time range"
            value={period}
            options={[
              { value: "7d", name: "7 days" },
              { value: "30d", name: "30 days" },
            ]}
            onChoose={setPeriod}
          />
        </div>
      </header>
      <LoadProblem of={stats} what="the counts" />
      {value === null ? null : (
        <div class="pad">
          <div class="limit today">
            <span>Today</span>
            <DayMeter used={value.daily_requests} max={account.max_requests_per_day_hard} />
          </div>
        </div>
      )}
      <Table
        label="Messages by day"
        hasKeys={false}
        columns={COLUMNS}
        rows={value?.days.toReversed() ?? []}
        keyOf={({ day }) => day}
        isLoading={stats.isLoading}
        isStale={stats.error !== null}
        empty={<p class="pad muted">Nothing was sent in this time.</p>}
      />
    </article>
  );
}

/** When narrow there are no heads, so each count says what it is. */
function Count({ of, name }: { readonly of: number; readonly name: string }) {
  return (
    <>
      {countText(of)}
      <span class="only-s"> {name}</span>
    </>
  );
}

const COLUMNS: readonly Column<Day>[] = [
  { head: "Day", class: "full", cell: ({ day }) => day },
  {
    head: "Messages",
    width: 100,
    class: "r",
    cell: ({ messages }) => <Count of={messages} name="messages" />,
  },
  {
    head: "Delivered",
    width: 100,
    class: "r",
    cell: ({ delivered }) => <Count of={delivered} name="delivered" />,
  },
  {
    head: "Failed",
    width: 84,
    class: "r",
    cell: ({ failed }) => (
      <span class={failed === 0 ? "muted" : "bad"}>
        <Count of={failed} name="failed" />
      </span>
    ),
  },
];
