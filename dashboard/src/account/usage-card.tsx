/** How much of each limit is used, and when the day ends. */
import type { OwnAccount } from "../../../sdk/src/answers/account.ts";
import { second } from "../app/clock.ts";
import { countText, durationText } from "../app/format.ts";
import { Meter } from "../parts/meter.tsx";

type Usage = OwnAccount["usage"][number];

const NAMES: Readonly<Record<string, string>> = {
  max_requests_per_day: "Messages today",
  max_requests_per_day_hard: "Messages today, at most",
  max_global_parallelism: "Attempts in flight",
  max_queues: "Queues",
  max_topics: "URL groups",
  max_schedules: "Schedules",
  max_dlq_size: "Dead letters",
};

export function UsageCard({ account }: { readonly account: OwnAccount }) {
  const rows = shownRows(account.usage);
  const hard = account.usage.find(({ limit }) => limit === "max_requests_per_day_hard");
  const leftMs = DAY_MS - (second.value % DAY_MS);
  return (
    <article class="card">
      <header>
        <h2>Usage against limits</h2>
        <div class="acts muted small" title="At 00:00 UTC">
          day ends in {durationText(Math.ceil(leftMs / 60_000) * 60_000)}
        </div>
      </header>
      <div class="pad">
        {rows.map((row) => (
          <div key={row.limit} class="limit" title={row.says}>
            <span class="cut">{NAMES[row.limit] ?? row.limit}</span>
            {row.max === null ? (
              <span class="hide-s" />
            ) : (
              <Meter used={row.used} max={row.max} isQuota />
            )}
            <span class="num soft nowrap r">
              {countText(row.used)}
              <span class="muted">
                {row.max === null ? ", no limit" : ` of ${countText(row.max)}`}
              </span>
            </span>
          </div>
        ))}
      </div>
      {hard === undefined || hard.max === null ? null : (
        <p class="more">{paceText(hard.used, hard.max, second.value)}</p>
      )}
    </article>
  );
}

/** Two limits of the day that are the same are one row. */
function shownRows(usage: readonly Usage[]): Usage[] {
  const soft = usage.find(({ limit }) => limit === "max_requests_per_day");
  return usage.filter(
    ({ limit, max }) => limit !== "max_requests_per_day_hard" || max !== soft?.max,
  );
}

/** When the limit of the day is reached if the pace since midnight continues. */
function paceText(used: number, max: number, now: number): string {
  const refusal = "After it, publishing is refused with 429.";
  if (used >= max)
    return "The limit of the day is reached: publishing is refused with 429 until 00:00 UTC.";
  const passedMs = now % DAY_MS;
  const needMs = used === 0 ? Number.POSITIVE_INFINITY : (passedMs / used) * max;
  if (needMs >= DAY_MS)
    return `At the pace of today the limit of the day is not reached. ${refusal}`;
  const at = new Date(needMs).toISOString().slice(11, 16);
  return `At the pace of today the limit of the day is reached at ${at} UTC. ${refusal}`;
}

const DAY_MS = 86_400_000;
