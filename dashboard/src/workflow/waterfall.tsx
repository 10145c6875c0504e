/** The steps of a run over time: a tree of names on the left, tracks on the right. */
import { useRef } from "preact/hooks";
import { useKeys } from "../app/keys.ts";
import type { TimeScale } from "./time-scale.ts";
import { WaterfallRowView } from "./waterfall-row.tsx";
import type { WaterfallRow } from "./waterfall-rows.ts";

interface WaterfallProps {
  readonly rows: readonly WaterfallRow[];
  readonly scale: TimeScale;
  readonly now: number;
  readonly isOpen: boolean;
  readonly chosen: string | null;
  readonly onChoose: (key: string) => void;
  /** Opens or closes a row that has rows below it. */
  readonly onTurn: (key: string) => void;
}

export function Waterfall(props: WaterfallProps) {
  const { rows, scale, now, isOpen, chosen, onChoose, onTurn } = props;
  const grid = useRef<HTMLDivElement>(null);
  const at = rows.findIndex(({ key }) => key === chosen);
  const go = (index: number, hasFocus: boolean): void => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (row === undefined) return;
    onChoose(row.key);
    requestAnimationFrame(() => {
      const element = grid.current?.querySelector<HTMLElement>('[aria-selected="true"]');
      element?.scrollIntoView({ block: "nearest" });
      if (hasFocus) element?.focus();
    });
  };
  useKeys({ j: () => go(at + 1, false), k: () => go(at - 1, false) });
  const move = (event: KeyboardEvent): void => {
    const row = rows[at];
    const action = ACTIONS[event.key];
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (action === "open" || action === "close") turn(row, action, { onTurn, go, rows, at });
    else go(action === "first" ? 0 : action === "last" ? rows.length - 1 : at + action, true);
  };
  return (
    <div ref={grid} class="wf" role="treegrid" aria-label="Steps of the run" onKeyDown={move}>
      <div class="wf-row head" role="row">
        <div class="wf-name" role="columnheader">
          Step
        </div>
        <Axis scale={scale} />
      </div>
      {rows.map((row, index) => (
        <WaterfallRowView
          key={row.key}
          row={row}
          scale={scale}
          now={now}
          isOpen={isOpen}
          isChosen={row.key === chosen}
          isFocusable={row.key === chosen || (at < 0 && index === 0)}
          onChoose={() => onChoose(row.key)}
          onTurn={() => onTurn(row.key)}
        />
      ))}
    </div>
  );
}

const ACTIONS: Readonly<Record<string, number | "first" | "last" | "open" | "close">> = {
  ArrowDown: 1,
  ArrowUp: -1,
  Home: "first",
  End: "last",
  ArrowRight: "open",
  ArrowLeft: "close",
};

/** Right opens, or goes to the first row below; left closes, or goes to the row above. */
function turn(
  row: WaterfallRow | undefined,
  action: "open" | "close",
  grid: {
    readonly onTurn: (key: string) => void;
    readonly go: (index: number, hasFocus: boolean) => void;
    readonly rows: readonly WaterfallRow[];
    readonly at: number;
  },
): void {
  if (row === undefined) return;
  const isExpanded = "isExpanded" in row ? row.isExpanded : undefined;
  if (isExpanded === undefined || (action === "open") === isExpanded) {
    const parent = grid.rows.findLastIndex(
      ({ level }, index) => index < grid.at && level < row.level,
    );
    if (action === "open" && isExpanded === true) grid.go(grid.at + 1, true);
    if (action === "close" && parent >= 0) grid.go(parent, true);
    return;
  }
  grid.onTurn(row.key);
}

function Axis({ scale }: { readonly scale: TimeScale }) {
  return (
    <div class="wf-time" role="columnheader">
      <span class="sr">Time since the start</span>
      <svg class="track" aria-hidden="true">
        {scale.ticks.map(({ x, text, anchor, isMinor }) => (
          <text
            key={`${x}`}
            class={`${anchor === "start" ? "" : anchor} ${isMinor ? "hide-s" : ""}`}
            x={`${x}%`}
            y="19"
          >
            {text}
          </text>
        ))}
      </svg>
    </div>
  );
}
