/** One row of the waterfall. */
import type { ComponentChildren } from "preact";
import { counted, durationText, idTail } from "../app/format.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { runHref, type StepKind } from "./run-log.ts";
import type { TimedStep } from "./run-timeline.ts";
import { KIND_WORDS, piecesOf, pieceText, stepLabel } from "./step-pieces.ts";
import type { TimeScale } from "./time-scale.ts";
import type { WaterfallRow } from "./waterfall-rows.ts";

interface RowProps {
  readonly row: WaterfallRow;
  readonly scale: TimeScale;
  readonly now: number;
  readonly isOpen: boolean;
  readonly isChosen: boolean;
  readonly isFocusable: boolean;
  readonly onChoose: () => void;
  readonly onTurn: () => void;
}

export function WaterfallRowView(props: RowProps) {
  const { row, isChosen, isFocusable, onChoose, onTurn } = props;
  const isExpanded = "isExpanded" in row ? row.isExpanded : undefined;
  return (
    <div
      class="wf-row"
      role="row"
      tabIndex={isFocusable ? 0 : -1}
      aria-selected={isChosen}
      aria-level={row.level}
      aria-expanded={isExpanded}
      aria-label={labelOf(row)}
      onClick={() => (row.kind === "fold" ? onTurn() : onChoose())}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        if ((event.target as Element).closest("a") !== null) return;
        event.preventDefault();
        if (row.kind === "fold") onTurn();
        else onChoose();
      }}
    >
      <Name row={row} />
      <Track {...props} />
    </div>
  );
}

function labelOf(row: WaterfallRow): string {
  switch (row.kind) {
    case "step":
      return stepLabel(row.timed);
    case "fold":
      return foldText(row.steps);
    case "child":
      return `Run ${idTail(row.run.workflowRunId)}, ${counted(row.steps.length, "step")}`;
    case "failure":
      return `failure function, ${FAILURE_WORDS[row.call.state ?? ""] ?? "called"}`;
  }
}

const ICONS: Readonly<Record<StepKind, IconName>> = {
  run: "code",
  next: "disc",
  call: "globe",
  sleep: "sleep",
  event: "event",
  child: "child",
};

export const FAILURE_WORDS: Readonly<Record<string, string>> = {
  CALLBACK_INPROGRESS: "calling",
  CALLBACK_SUCCESS: "called",
  CALLBACK_FAIL: "failed",
  CALLBACK_CANCELED: "canceled",
};

function Name({ row }: { readonly row: WaterfallRow }) {
  if (row.kind === "step") {
    const { timed } = row;
    const inside = timed.place === "alone" ? "" : `in ${timed.place}`;
    return (
      <NameCell icon={ICONS[timed.kind]} class={inside} note={noteOf(timed)}>
        {timed.name}
      </NameCell>
    );
  }
  if (row.kind === "fold") {
    return (
      <NameCell icon={row.isExpanded ? "down" : "right"} class="" note="">
        {foldText(row.steps)}
      </NameCell>
    );
  }
  if (row.kind === "failure") {
    return (
      <NameCell icon="flag" class="" note={FAILURE_WORDS[row.call.state ?? ""] ?? ""}>
        failure function
      </NameCell>
    );
  }
  const { workflowRunId, workflowRunCreatedAt } = row.run;
  return (
    <NameCell icon="runs" class="in first last called" note="">
      <span class="keep-end">
        <span class="cut">{counted(row.steps.length, "step")} in</span>
        <a class="link" href={runHref(workflowRunId, workflowRunCreatedAt)}>
          {idTail(workflowRunId)}
        </a>
      </span>
    </NameCell>
  );
}

function foldText(steps: readonly TimedStep[]): string {
  return counted(steps.length, "finished step");
}

function noteOf({ kind, attempts, place }: TimedStep): string {
  if (attempts.length > 1) return counted(attempts.length, "attempt");
  if (place === "first") return "parallel";
  return KIND_WORDS[kind];
}

interface NameCellProps {
  readonly icon: IconName;
  readonly class: string;
  readonly note: string;
  readonly children: ComponentChildren;
}

function NameCell({ icon, class: extra, note, children }: NameCellProps) {
  return (
    <div class={`wf-name ${extra}`} role="rowheader">
      <Icon name={icon} />
      <span class="cut" title={typeof children === "string" ? children : undefined}>
        {children}
      </span>
      <span class="small muted">{note}</span>
    </div>
  );
}

function Track({ row, scale, now, isOpen }: RowProps) {
  return (
    <svg class="track" role="gridcell">
      {scale.skips.map(({ x, width }) => (
        <rect key={x} class="wf-skip" x={`${x}%`} width={`${width}%`} height="34" />
      ))}
      {row.kind === "step" ? (
        <StepTrack timed={row.timed} scale={scale} now={now} isOpen={isOpen} />
      ) : null}
      {row.kind === "fold" || row.kind === "child" ? (
        <ThinTrack steps={row.steps} scale={scale} now={now} />
      ) : null}
      {row.kind === "failure" ? <FailureTrack row={row} /> : null}
    </svg>
  );
}

interface TrackProps {
  readonly scale: TimeScale;
  readonly now: number;
}

function StepTrack({
  timed,
  scale,
  now,
  isOpen,
}: TrackProps & { readonly timed: TimedStep; readonly isOpen: boolean }) {
  const pieces = piecesOf(timed, now).map((piece) => ({ ...piece, ...placed(scale, piece) }));
  const start = pieces[0]?.x ?? scale.x(timed.startedAt);
  const last = pieces.at(-1);
  const isWaiting = isOpen && timed.endedAt === null;
  const end = (last?.x ?? start) + (last?.width ?? 0);
  const { long, short } = pieceText(timed, now);
  const isRight = (isWaiting ? FUTURE_START : 100) - end >= start;
  const x = isRight ? `${end + 0.7}%` : `${start - 0.7}%`;
  const tone = timed.step.state === "STEP_FAILED" ? "red" : "";
  const place = isRight ? "" : "end";
  return (
    <>
      {pieces.map(({ fill, x: from, width }, index) => (
        <rect
          key={index}
          class={fill}
          x={`${from}%`}
          y="10"
          width={`${width}%`}
          height="14"
          rx="3"
        />
      ))}
      {isWaiting ? (
        <rect
          class="future"
          x={`${FUTURE_START}%`}
          y="10.5"
          width={`${FUTURE_END - FUTURE_START}%`}
          height="13"
          rx="3"
        />
      ) : null}
      {timed.kind === "event" && timed.step.state === "STEP_SUCCESS" ? (
        <circle class="holdf" cx={`${end}%`} cy="17" r="4" />
      ) : null}
      <text class={`${place} ${tone} hide-s`} x={x} y="21">
        {long}
      </text>
      <text class={`${place} ${tone} only-s`} x={x} y="21">
        {short}
      </text>
    </>
  );
}

/** Seen even when it took no time. */
function placed(scale: TimeScale, { from, to }: { readonly from: number; readonly to: number }) {
  const x = scale.x(from);
  const width = Math.max(WIDTH_MIN, scale.x(to) - x - 0.15);
  return { x: Math.min(x, 100 - WIDTH_MIN), width };
}

function ThinTrack({ steps, scale, now }: TrackProps & { readonly steps: readonly TimedStep[] }) {
  return (
    <>
      {steps.flatMap((timed) =>
        piecesOf(timed, now).map((piece, index) => {
          const { x, width } = placed(scale, piece);
          return (
            <rect
              key={`${timed.key}-${index}`}
              class={piece.fill}
              x={`${x}%`}
              y="14"
              width={`${width}%`}
              height="6"
              rx="2"
            />
          );
        }),
      )}
    </>
  );
}

/** The run has ended when it is called, so it stands at the end. */
function FailureTrack({ row }: { readonly row: Extract<WaterfallRow, { kind: "failure" }> }) {
  const { state, responseStatus } = row.call;
  const fill = state === "CALLBACK_SUCCESS" ? "ok" : state === "CALLBACK_FAIL" ? "err" : "idle";
  const answer = responseStatus === undefined ? "" : `, answered ${responseStatus}`;
  return (
    <>
      <circle class={fill} cx="99.2%" cy="17" r="4" />
      <text class="end hide-s" x="97.8%" y="21">
        {FAILURE_WORDS[state ?? ""] ?? "called"}
        {answer}
      </text>
    </>
  );
}

export function tookText({ startedAt, endedAt }: TimedStep, now: number): string {
  return durationText((endedAt ?? now) - startedAt);
}

const WIDTH_MIN = 0.7;
/** What has not happened yet is drawn in this part of the line. */
export const FUTURE_START = 94.5;
const FUTURE_END = 99.5;
