/** What is waiting, and why. Left out where the server cannot say. */
import type { WaitReason } from "../../../sdk/src/answers/words.ts";
import type { WaitingReasons, WaitingRow } from "../../../sdk/src/answers/message.ts";
import { second } from "../app/clock.ts";
import { counted, roughText } from "../app/format.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { Bar, type MeterFill, StackedBar } from "../parts/meter.tsx";
import { waitingText } from "./waiting-text.ts";

const REASONS: Readonly<
  Record<
    WaitReason,
    {
      readonly words: string;
      readonly icon: IconName;
      readonly tone: string;
      readonly fill: MeterFill;
      readonly state: string;
    }
  >
> = {
  delay: { words: "Delay not over", icon: "clock", tone: "", fill: "hatch", state: "CREATED" },
  "queue-full": { words: "Queue full", icon: "queue", tone: "", fill: "live", state: "CREATED" },
  retry: { words: "Retry not due", icon: "retry", tone: "warn", fill: "warnf", state: "RETRY" },
  "key-rate": {
    words: "Key rate used up",
    icon: "gauge",
    tone: "hold",
    fill: "holdf",
    state: "CREATED",
  },
  "key-parallelism": {
    words: "Key full",
    icon: "flow",
    tone: "hold",
    fill: "holdf",
    state: "CREATED",
  },
  "account-parallelism": {
    words: "Account full",
    icon: "flow",
    tone: "hold",
    fill: "holdf",
    state: "CREATED",
  },
  "node-full": { words: "Server busy", icon: "node", tone: "", fill: "live", state: "CREATED" },
  "host-full": { words: "Host busy", icon: "globe", tone: "", fill: "live", state: "CREATED" },
  "host-failing": {
    words: "Host down",
    icon: "unplug",
    tone: "bad",
    fill: "err",
    state: "CREATED",
  },
  paused: { words: "Paused", icon: "pause", tone: "", fill: "idle", state: "CREATED" },
};

export function WaitingCard({ report }: { readonly report: WaitingReasons | null }) {
  if (report === null) return null;
  const rows = report.reasons;
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  const isMore = report.isPartial || rows.some(({ isAbout }) => isAbout);
  return (
    <article class="card">
      <header>
        <h2>What is waiting, and why</h2>
        <span class="muted hide-s">
          {isMore ? "at least " : ""}
          {counted(total, "message")}
        </span>
        <div class="acts">
          <a class="btn s quiet" href="/messages?state=CREATED">
            Open as list
          </a>
        </div>
      </header>
      {rows.length === 0 ? (
        <p class="pad muted">Nothing waits. Every message was sent as soon as it was due.</p>
      ) : (
        <>
          <div class="pad">
            <StackedBar
              parts={byReason(rows).map(({ reason, count }) => ({
                name: REASONS[reason].words,
                share: count / total,
                fill: REASONS[reason].fill,
              }))}
            />
          </div>
          {rows.slice(0, SHOWN_MAX).map((row) => (
            <ReasonRow
              key={`${row.reason} ${row.line?.name ?? ""}`}
              row={row}
              share={row.count / total}
            />
          ))}
        </>
      )}
    </article>
  );
}

function ReasonRow({ row, share }: { readonly row: WaitingRow; readonly share: number }) {
  const { words, icon, tone, fill } = REASONS[row.reason];
  const leftMs = row.endsAt === null ? null : row.endsAt - second.value;
  const isDueLater = row.reason === "delay" || row.reason === "retry";
  return (
    <a class="why" href={hrefOf(row)}>
      <Icon name={icon} class={tone} />
      <b>{words}</b>
      <span class="num">{waitingText(row.count, [row])}</span>
      <Bar share={share} fill={fill} />
      <span class="cut soft">
        {row.line === undefined ? null : (
          <>
            {row.line.kind} <code>{row.line.name}</code>
          </>
        )}
        {row.line === undefined && leftMs !== null
          ? leftMs > 0
            ? `next one due in ${roughText(leftMs)}`
            : "next one due now"
          : null}
      </span>
      <span class="muted small nowrap">
        {row.line !== undefined && leftMs !== null && leftMs > 0
          ? `${isDueLater ? "next" : "opens"} in ${roughText(leftMs)}`
          : row.oldest === null
            ? null
            : `oldest ${roughText(second.value - row.oldest.createdAt)}`}
      </span>
    </a>
  );
}

function hrefOf({ reason, line }: WaitingRow): string {
  const { state } = REASONS[reason];
  if (line === undefined) return `/messages?state=${state}`;
  return `/messages?state=${state}&${line.kind}=${encodeURIComponent(line.name)}`;
}

/** The rows of one reason, added up. */
function byReason(
  rows: readonly WaitingRow[],
): { readonly reason: WaitReason; readonly count: number }[] {
  const sums = new Map<WaitReason, number>();
  for (const { reason, count } of rows) sums.set(reason, (sums.get(reason) ?? 0) + count);
  return [...sums].map(([reason, count]) => ({ reason, count }));
}

const SHOWN_MAX = 8;
