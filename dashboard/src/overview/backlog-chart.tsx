/** What waits, over the range: hatched what is not due yet, above it what is due. */
import type { BacklogPoint } from "../answers/stats.ts";
import { countText, roughText, shortCount } from "../app/format.ts";
import { Chart } from "../parts/chart.tsx";
import { type ChartCommon, type Range, RANGES } from "./stats.ts";

export function BacklogChart({
  points,
  range,
  common,
}: {
  readonly points: readonly BacklogPoint[];
  readonly range: Range;
  readonly common: ChartCommon;
}) {
  const newest = points.at(-1);
  const due = newest?.due ?? 0;
  const total = due + (newest?.later ?? 0);
  const most = Math.max(0, ...points.map((point) => point.due + point.later));
  return (
    <Chart
      {...common}
      title="Backlog"
      figure={countText(total)}
      detail={
        total === 0 ? (
          "nothing waits"
        ) : due === 0 ? (
          "none of them due yet"
        ) : (
          <>
            {countText(due)} due
            <Oldest ms={newest?.oldestDueMs ?? null} />
          </>
        )
      }
      sentence={`Backlog in the ${RANGES[range].words}: at most ${most}, now ${total}, of which ${due} are due`}
      format={shortCount}
      series={[
        {
          name: "due",
          color: "c-live",
          kind: "area",
          values: points.map((point) => point.due),
          drawn: points.map((point) => point.due + point.later),
        },
        {
          name: "not due yet",
          color: "idle",
          kind: "hatched",
          values: points.map(({ later }) => later),
        },
      ]}
    />
  );
}

function Oldest({ ms }: { readonly ms: number | null }) {
  if (ms === null || ms < SHOWN_FROM_MS) return null;
  return (
    <>
      , the oldest for <span class={ms >= LATE_MS ? "bad" : undefined}>{roughText(ms)}</span>
    </>
  );
}

const SHOWN_FROM_MS = 1_000;
/** A message that has been due for so long needs a look. */
const LATE_MS = 600_000;
