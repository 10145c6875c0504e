/** Is it well, what waits and why, who fails. */
import type { Overview, Series } from "../answers/stats.ts";
import { second } from "../app/clock.ts";
import { type Resource, useResource } from "../app/resource.ts";
import { place, setQuery } from "../app/router.ts";
import { countText } from "../app/format.ts";
import { Segmented } from "../parts/segmented.tsx";
import { Time } from "../parts/time.tsx";
import { Bar } from "../shell/bar.tsx";
import { useOwnAccount } from "../shell/account-facts.ts";
import { CommonNotices } from "../shell/shell.tsx";
import { FailingHosts } from "./failing-hosts.tsx";
import { HostTables } from "./host-tables.tsx";
import { ServerCard } from "./server-card.tsx";
import { StatCharts } from "./stat-charts.tsx";
import { filled, type Range, RANGES, sumOf } from "./stats.ts";
import { WaitingCard } from "../line/waiting-card.tsx";

export function OverviewScreen() {
  const asked = place.value.query.get("range");
  const range: Range = asked === "24h" || asked === "7d" ? asked : "1h";
  const overview = useResource<Overview>(overviewPath(range), 10_000);
  const shown = overview.value;
  const stats = { ...overview, value: shown?.stats ?? null };
  const createdAt = 1_000 * (useOwnAccount().value?.creation_time ?? 0);
  const from = Math.max(shown?.hosts.from ?? 0, createdAt);
  const hosts = { ...overview, value: shown === null ? null : { ...shown.hosts, from } };
  return (
    <>
      <Bar title="Overview">
        {stats.readAt === null ? null : (
          <span class="row soft small hide-s">
            <span class={`dot ${stats.error === null ? "live" : "warn"}`} />
            <span>
              Updated <Time at={stats.readAt} form="sentence" />
            </span>
          </span>
        )}
        <Segmented
          label="Time range"
          value={range}
          options={(Object.keys(RANGES) as Range[]).map((value) => ({
            value,
            name: RANGES[value].name,
          }))}
          onChoose={(value) => setQuery({ range: value === "1h" ? null : value })}
        />
      </Bar>
      <div class="body">
        <CommonNotices />
        <FailingHosts answer={hosts.value} />
        <StatCharts stats={stats} waiting={shown?.waiting ?? null} range={range} />
        <div class="cols wide stretch">
          <WaitingCard report={shown?.waiting ?? null} />
          <ServerCard overview={shown} published={publishedText(stats, range)} />
        </div>
        <HostTables hosts={hosts} />
      </div>
    </>
  );
}

function publishedText({ value, readAt }: Resource<Series>, range: Range): string | null {
  if (value === null || readAt === null) return null;
  const published = sumOf(filled(value.points, range, readAt), "published");
  return `${countText(published)} in the ${RANGES[range].words}`;
}

/** Without `from` the server answers with the last 60 steps. */
function overviewPath(range: Range): string {
  const { step, steps } = RANGES[range];
  if (steps <= 60) return `/v2/overview?step=${step}`;
  const today = Math.floor(second.peek() / DAY_MS) * DAY_MS;
  return `/v2/overview?step=${step}&from=${today - 7 * DAY_MS}`;
}

const DAY_MS = 86_400_000;
