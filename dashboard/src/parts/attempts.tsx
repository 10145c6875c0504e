/** The attempts of a message on a line: solid blocks are work, hatched gaps waiting, dashed has not happened yet. */
import { second } from "../app/clock.ts";
import { clockText, durationText, roughText } from "../app/format.ts";
import { type Attempt, type Piece, piecesOf } from "./attempt-pieces.ts";

interface AttemptsProps {
  readonly attempts: readonly Attempt[];
  /** When the next one is due, while there is one. */
  readonly nextAt: number | null;
  /** How many may still follow, the next one included. */
  readonly leftCount: number;
  readonly chosen: number | null;
  readonly onChoose: (number: number) => void;
}

export function Attempts({ attempts, nextAt, leftCount, chosen, onChoose }: AttemptsProps) {
  const now = second.value;
  const pieces = piecesOf(attempts, nextAt, leftCount, now);
  return (
    <div
      class="pad attempts-wrap"
      tabIndex={0}
      role="region"
      aria-label="Time line of the attempts"
    >
      <svg class="attempts" role="group" aria-label="Attempts">
        <line class="grid" x1="0" x2="100%" y1="38.5" y2="38.5" />
        {pieces.map((piece, index) => (
          <PieceView key={index} piece={piece} now={now} chosen={chosen} onChoose={onChoose} />
        ))}
      </svg>
    </div>
  );
}

interface PieceViewProps extends Pick<AttemptsProps, "chosen" | "onChoose"> {
  readonly piece: Piece;
  readonly now: number;
}

function PieceView({ piece, now, chosen, onChoose }: PieceViewProps) {
  const { x, width } = piece;
  const middle = x + width / 2;
  if (piece.kind === "attempt") {
    return (
      <AttemptView
        piece={piece}
        now={now}
        isChosen={piece.attempt.number === chosen}
        onChoose={onChoose}
      />
    );
  }
  if (piece.kind === "now") {
    return (
      <>
        <line class="nowline" x1={`${x}%`} x2={`${x}%`} y1="14" y2="64" />
        <text class="mid" x={`${x}%`} y="10">
          now
        </text>
      </>
    );
  }
  if (piece.kind === "gap") {
    return (
      <>
        <rect
          class={piece.isPast ? "hatch-warn" : "hatch"}
          x={`${x}%`}
          y="31"
          width={`${width}%`}
          height="16"
          rx="3"
        />
        {piece.ms === null || width < 5 ? null : (
          <text class="mid" x={`${middle}%`} y="20">
            {piece.isPast ? durationText(piece.ms) : `${roughText(piece.ms)} to go`}
          </text>
        )}
      </>
    );
  }
  return <FutureView piece={piece} now={now} />;
}

interface FutureViewProps {
  readonly piece: Extract<Piece, { kind: "next" | "more" }>;
  readonly now: number;
}

function FutureView({ piece, now }: FutureViewProps) {
  const { x, width } = piece;
  if (piece.kind === "next") {
    return (
      <>
        <rect class="future" x={`${x}%`} y="26.5" width={`${width}%`} height="25" rx="4" />
        <text x={`${x}%`} y="72">
          Attempt {piece.number}
        </text>
        <text class="dim" x={`${x}%`} y="88">
          due {clockText(piece.at, now)}
        </text>
      </>
    );
  }
  return (
    <>
      <rect class="future" x={`${x}%`} y="29.5" width="2%" height="19" rx="3" />
      {piece.count > 1 ? (
        <rect class="future" x={`${x + 3}%`} y="29.5" width="2%" height="19" rx="3" />
      ) : null}
      <text class="end dim" x={`${x + width}%`} y="72">
        {piece.count} more
      </text>
    </>
  );
}

interface AttemptViewProps {
  readonly piece: Extract<Piece, { kind: "attempt" }>;
  readonly now: number;
  readonly isChosen: boolean;
  readonly onChoose: (number: number) => void;
}

function AttemptView({ piece, now, isChosen, onChoose }: AttemptViewProps) {
  const { x, width, attempt } = piece;
  const { number, outcome, word, startedAt, tookMs } = attempt;
  const took = tookMs === null ? "" : durationText(tookMs);
  const choose = (): void => onChoose(number);
  const fill = { delivered: "done", failed: "solid", sending: "sending", canceled: "idle" }[
    outcome
  ];
  const shown = word.length > WORD_MAX ? "error" : word;
  const said = shown === word ? word : `${shown}: ${word}`;
  const label = `Attempt ${number}, ${said}${took === "" ? "" : ` after ${took}`}`;
  return (
    <>
      <g
        role="button"
        tabindex={0}
        aria-pressed={isChosen}
        aria-label={label}
        onClick={choose}
        onKeyDown={(event) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          choose();
        }}
      >
        <rect class={fill} x={`${x}%`} y="26" width={`${width}%`} height="26" rx="4" />
        {isChosen ? (
          <rect
            class="sel"
            x={`${x - 0.3}%`}
            y="22.5"
            width={`${width + 0.6}%`}
            height="33"
            rx="6"
          />
        ) : null}
        <text class="on" x={`${x + width / 2}%`} y="43" aria-hidden="true">
          {shown}
        </text>
      </g>
      {piece.isLabeled ? (
        <g aria-hidden="true">
          <text x={`${x}%`} y="72">
            Attempt {number}
          </text>
          <text class="dim" x={`${x}%`} y="88">
            {clockText(startedAt, now)}
            {took === "" ? null : <tspan class="hide-s">, {took}</tspan>}
          </text>
        </g>
      ) : null}
    </>
  );
}

/** What fits into a block. */
const WORD_MAX = 8;
