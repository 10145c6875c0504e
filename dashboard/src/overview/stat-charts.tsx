/** Attempts, answer times and the backlog over the range. */
import type { WaitingReasons } from "../../../sdk/src/answers/message.ts";
import type { Series, StatPoint } from "../answers/stats.ts";
import { second } from "../app/clock.ts";
import { countText, durationText, shareText, shortCount } from "../app/format.ts";
import type { Resource } from "../app/resource.ts";
import { Chart } from "../parts/chart.tsx";
import { backlogNow, filledBacklog } from "./backlog.ts";
import { BacklogChart } from "./backlog-chart.tsx";
import { type ChartCommon, filled, type Range, RANGES, sumOf } from "./stats.ts";

export function StatCharts({
  stats,
  waiting,
  range,
}: {
  readonly stats: Resource<Series>;
  readonly waiting: WaitingReasons | null;
  readonly range: Range;
}) {
  const points = filled(stats.value?.points ?? [], range, stats.readAt ?? second.peek());
  const common = {
    times: points.map(({ at }) => at),
    isLoading: stats.isLoading,
    problem: stats.value === null ? (stats.error?.message ?? null) : null,
    onRetry: stats.reload,
  };
  const span = range === "1h" ? "this hour" : RANGES[range].words.replace("last", "the last");
  return (
    <div class="cols c3">
      <AttemptsChart
        points={points}
        range={range}
        common={{ ...common, empty: `No attempts in ${span}` }}
      />
      <AnswerChart
        points={points}
        range={range}
        common={{ ...common, empty: `No answers in ${span}` }}
      />
      <BacklogChart
        points={filledBacklog(stats.value?.backlog ?? [], common.times, backlogNow(waiting))}
        range={range}
        common={{ ...common, empty: `Nothing waited in ${span}` }}
      />
    </div>
  );
}

interface ChartOf {
  readonly points: readonly StatPoint[];
  readonly range: Range;
  readonly common: ChartCommon;
}

function AttemptsChart({ points, range, common }: ChartOf) {
  const attempts = sumOf(points, "attempts");
  const failed = sumOf(points, "failedAttempts");
  return (
    <Chart
      {...common}
      title={`Attempts per ${RANGES[range].step}`}
      figure={countText(attempts)}
      detail={
        <>
          in the {RANGES[range].words} ·{" "}
          {failed === 0 ? (
            "none failed"
          ) : (
            <span class="bad">{shareText(failed, attempts)} failed</span>
          )}
        </>
      }
      sentence={`Attempts in the ${RANGES[range].words}: ${attempts}, of which ${failed} failed`}
      format={shortCount}
      series={[
        {
          name: "failed",
          color: "c-bad",
          kind: "bars",
          values: points.map((point) => point.failedAttempts),
          drawn: points.map((point) => (point.failedAttempts === 0 ? null : point.attempts)),
        },
        {
          name: "delivered",
          color: "c-ok",
          kind: "bars",
          values: points.map((point) => point.attempts - point.failedAttempts),
        },
      ]}
    />
  );
}

function AnswerChart({ points, range, common }: ChartOf) {
  const newest = points.findLast(({ p95Ms }) => p95Ms !== null);
  return (
    <Chart
      {...common}
      title="Time to answer"
      figure={
        newest?.p95Ms === undefined || newest.p95Ms === null ? "–" : durationText(newest.p95Ms)
      }
      detail={
        newest?.p50Ms === undefined || newest.p50Ms === null
          ? "no answer yet"
          : `p95 · half within ${durationText(newest.p50Ms)}`
      }
      sentence={
        newest === undefined
          ? `No answers in the ${RANGES[range].words}`
          : `Time to answer in the ${RANGES[range].words}: newest p50 ${newest.p50Ms} ms, p95 ${newest.p95Ms} ms, p99 ${newest.p99Ms} ms`
      }
      format={(ms) => (ms === 0 ? "0" : durationText(ms))}
      series={[
        { name: "p50", color: "c-live", kind: "line", values: points.map(({ p50Ms }) => p50Ms) },
        { name: "p95", color: "c-hold", kind: "line", values: points.map(({ p95Ms }) => p95Ms) },
        { name: "p99", color: "idle", kind: "dashed", values: points.map(({ p99Ms }) => p99Ms) },
      ]}
    />
  );
}
