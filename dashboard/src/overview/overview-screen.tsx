/** Is it well, what waits and why, who fails. */
import type { WaitingReasons } from "../../../sdk/src/answers/message.ts";
import type { Hosts, Series } from "../answers/stats.ts";
import { second } from "../app/clock.ts";
import { type Resource, useResource } from "../app/resource.ts";
import { place, setQuery } from "../app/router.ts";
import { countText } from "../app/format.ts";
import { Segmented } from "../parts/segmented.tsx";
import { Time } from "../parts/time.tsx";
import { Bar } from "../shell/bar.tsx";
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
  const stats = useResource<Series>(statsPath(range), 10_000);
  const hosts = useResource<Hosts>("/v2/hosts", 10_000);
  const waiting = useResource<WaitingReasons>("/v2/waiting", 10_000);
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
        <StatCharts stats={stats} waiting={waiting.value} range={range} />
        <div class="cols wide stretch">
          <WaitingCard report={waiting.value} />
          <ServerCard published={publishedText(stats, range)} />
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
function statsPath(range: Range): string {
  const { step, steps } = RANGES[range];
  if (steps <= 60) return `/v2/stats?step=${step}`;
  const today = Math.floor(second.peek() / DAY_MS) * DAY_MS;
  return `/v2/stats?step=${step}&from=${today - 7 * DAY_MS}`;
}

const DAY_MS = 86_400_000;
