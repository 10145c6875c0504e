/** Attempts, answer times and the backlog over the range. */
import type { WaitingReasons } from "../../../sdk/src/answers/message.ts";
import type { Series, StatPoint } from "../answers/stats.ts";
import { second } from "../app/clock.ts";
import { countText, durationText, shareText, shortCount } from "../app/format.ts";
import type { Resource } from "../app/resource.ts";
import { Chart } from "../parts/chart.tsx";
import { backlogNow, filledBacklog } from "./backlog.ts";
import { BacklogChart } from "./backlog-chart.tsx";
import {
  type ChartCommon,
  filled,
  perStep,
  quantileOf,
  type Range,
  RANGES,
  sumOf,
} from "./stats.ts";

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
        now={stats.readAt ?? second.peek()}
        common={{ ...common, empty: `No attempts in ${span}` }}
      />
      <AnswerChart
        points={points}
        boundsMs={stats.value?.durationBoundsMs ?? []}
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

function AttemptsChart({ points, range, now, common }: ChartOf & { readonly now: number }) {
  const attempts = sumOf(points, "attempts");
  const failed = sumOf(points, "failedAttempts");
  return (
    <Chart
      {...common}
      title={`Attempts per ${RANGES[range].step}`}
      figure={shortCount(perStep(attempts, range, now))}
      detail={
        <>
          {countText(attempts)} in the {RANGES[range].words} ·{" "}
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

interface AnswerChartProps extends ChartOf {
  readonly boundsMs: readonly number[];
}

function AnswerChart({ points, boundsMs, range, common }: AnswerChartProps) {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => quantileOf(points, boundsMs, share));
  const { words } = RANGES[range];
  const isKnown = p50 !== null && p50 !== undefined && p95 !== null && p95 !== undefined;
  return (
    <Chart
      {...common}
      title="Time to answer"
      figure={isKnown ? durationText(p95) : "–"}
      detail={isKnown ? `p95 of the ${words} · p50 ${durationText(p50)}` : "no answer yet"}
      sentence={
        isKnown
          ? `Time to answer in the ${words}: p50 ${p50} ms, p95 ${p95} ms, p99 ${p99} ms`
          : `No answers in the ${words}`
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
