/** What is waiting: a row for each reason, with its places below. Left out where the server cannot say. */
import { useState } from "preact/hooks";
import type { WaitReason } from "../../../sdk/src/answers/words.ts";
import type { WaitingReasons, WaitingRow } from "../../../sdk/src/answers/message.ts";
import { second } from "../app/clock.ts";
import { counted, roughText } from "../app/format.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { Bar, type MeterFill, StackedBar } from "../parts/meter.tsx";
import { HeldBy } from "../message/held-by.tsx";
import { byReason, waitingHref, type WaitingReason } from "./waiting-reasons.ts";
import { waitingText } from "./waiting-text.ts";

const REASONS: Readonly<
  Record<
    WaitReason,
    {
      readonly words: string;
      readonly icon: IconName;
      readonly tone: string;
      readonly fill: MeterFill;
    }
  >
> = {
  delay: { words: "Delay not over", icon: "clock", tone: "", fill: "hatch" },
  "queue-full": { words: "Queue full", icon: "queue", tone: "", fill: "live" },
  retry: { words: "Retry not due", icon: "retry", tone: "warn", fill: "warnf" },
  "key-rate": {
    words: "Key rate used up",
    icon: "gauge",
    tone: "hold",
    fill: "holdf",
  },
  "key-parallelism": {
    words: "Key full",
    icon: "flow",
    tone: "hold",
    fill: "holdf",
  },
  "account-parallelism": {
    words: "Account full",
    icon: "flow",
    tone: "hold",
    fill: "holdf",
  },
  "node-full": { words: "Server busy", icon: "node", tone: "", fill: "live" },
  "host-full": { words: "Host busy", icon: "globe", tone: "", fill: "live" },
  "host-failing": {
    words: "Host down",
    icon: "unplug",
    tone: "bad",
    fill: "err",
  },
  paused: { words: "Paused", icon: "pause", tone: "", fill: "idle" },
};

export function WaitingCard({ report }: { readonly report: WaitingReasons | null }) {
  if (report === null) return null;
  const rows = byReason(report.reasons);
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
          <a class="btn s quiet" href={waitingHref("any")}>
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
              parts={rows.map(({ reason, count }) => ({
                name: REASONS[reason].words,
                share: count / total,
                fill: REASONS[reason].fill,
              }))}
            />
          </div>
          {rows.map((row) => (
            <Reason key={row.reason} row={row} share={row.count / total} />
          ))}
        </>
      )}
    </article>
  );
}

function Reason({ row, share }: { readonly row: WaitingReason; readonly share: number }) {
  const { reason, places } = row;
  const [only] = places;
  const isOne = places.length === 1;
  const [isWhole, setWhole] = useState(false);
  const shown = isOne ? [] : isWhole ? places : places.slice(0, PLACES_MAX);
  const hidden = isOne ? 0 : places.length - shown.length;
  return (
    <div class="why-group">
      <ReasonRow
        row={row}
        share={share}
        place={isOne ? only?.line : undefined}
        heldBy={isOne ? (only?.heldBy ?? []) : []}
      />
      {shown.map((place) => (
        <PlaceRow key={`${reason} ${place.line?.name ?? ""}`} row={place} />
      ))}
      {hidden <= 0 ? null : (
        <button type="button" class="link-button why-more" onClick={() => setWhole(true)}>
          and {counted(hidden, "more place")}
        </button>
      )}
    </div>
  );
}

interface ReasonRowProps {
  readonly row: WaitingReason;
  readonly share: number;
  readonly place: WaitingRow["line"];
  readonly heldBy: readonly string[];
}

function ReasonRow({ row, share, place, heldBy }: ReasonRowProps) {
  const { words, icon, tone, fill } = REASONS[row.reason];
  return (
    <div class="why">
      <Icon name={icon} class={tone} />
      <a href={waitingHref(row.reason, place)}>
        <b>{words}</b>
      </a>
      <span class="num">{waitingText(row.count, [row])}</span>
      <Bar share={share} fill={fill} />
      <span class="cut soft">
        {place === undefined ? null : <PlaceName line={place} />}
        {heldBy.length === 0 ? null : (
          <>
            , held by <HeldBy ids={heldBy} shownMax={1} />
          </>
        )}
      </span>
      <span class="muted small nowrap">{whenText(row)}</span>
    </div>
  );
}

/** One of several places in which messages wait for the same. */
function PlaceRow({ row }: { readonly row: WaitingRow }) {
  const { line, reason, heldBy = [] } = row;
  const oldestAt = row.oldest?.createdAt ?? null;
  return (
    <div class="why place">
      <span />
      <span />
      <span class="num">{waitingText(row.count, [row])}</span>
      <a class="cut" href={waitingHref(reason, line)}>
        {line === undefined ? "everywhere" : <PlaceName line={line} />}
      </a>
      <span class="cut soft">
        {heldBy.length === 0 ? null : (
          <>
            held by <HeldBy ids={heldBy} shownMax={1} />
          </>
        )}
      </span>
      <span class="muted small nowrap">{whenText({ ...row, oldestAt })}</span>
    </div>
  );
}

function PlaceName({ line }: { readonly line: NonNullable<WaitingRow["line"]> }) {
  return (
    <>
      {line.kind} <code>{line.name}</code>
    </>
  );
}

/** When the wait of the first of them ends, else how old the oldest is. */
function whenText({
  reason,
  endsAt,
  oldestAt,
}: Pick<WaitingReason, "reason" | "endsAt" | "oldestAt">): string {
  const now = second.value;
  const isDueLater = reason === "delay" || reason === "retry";
  if (endsAt !== null && endsAt > now)
    return `${isDueLater ? "next" : "opens"} in ${roughText(endsAt - now)}`;
  if (endsAt !== null && isDueLater) return "next one due now";
  return oldestAt === null ? "" : `oldest ${roughText(now - oldestAt)}`;
}

const PLACES_MAX = 3;
