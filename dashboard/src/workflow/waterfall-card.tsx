/** The waterfall with its head: how many steps, how much work, and the scale of time. */
import { useState } from "preact/hooks";
import { counted } from "../app/format.ts";
import { useKeys } from "../app/keys.ts";
import { Segmented } from "../parts/segmented.tsx";
import { isEnded } from "./run-log.ts";
import type { RunFacts } from "./run-resource.ts";
import { stepCounts } from "./run-state.ts";
import type { TimedStep } from "./run-timeline.ts";
import { isWork, piecesOf } from "./step-pieces.ts";
import { hasLongWaits, type Span, type TimeScale, timeScale } from "./time-scale.ts";
import { FUTURE_START } from "./waterfall-row.tsx";
import { rowsOf } from "./waterfall-rows.ts";
import { Waterfall } from "./waterfall.tsx";

interface WaterfallCardProps {
  readonly facts: RunFacts;
  readonly steps: readonly TimedStep[];
  readonly now: number;
  readonly work: string;
  readonly chosen: string | null;
  readonly onChoose: (key: string) => void;
}

export function WaterfallCard({ facts, steps, now, work, chosen, onChoose }: WaterfallCardProps) {
  const { run, children } = facts;
  const [isTrue, setTrue] = useState(false);
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  useKeys({ z: () => setTrue(!isTrue) });
  const spans = steps.flatMap((timed) => piecesOf(timed, now).filter(isWork));
  const domain = domainOf(run.workflowRunCreatedAt, steps, now, isEnded(run));
  const scale = scaleOf(steps, now, isEnded(run) ? 100 : FUTURE_START, (width) =>
    timeScale(domain, spans, !isTrue, width),
  );
  const rows = rowsOf({ steps, children, failure: run.failureFunction, turned });
  const { done, all } = stepCounts(run);
  return (
    <>
      <Head
        title={
          run.workflowState === "RUN_SUCCESS" ? counted(all, "step") : `${done} of ${all} steps`
        }
        work={work}
        isTrue={isTrue}
        onScale={hasLongWaits(domain, spans) ? setTrue : null}
      />
      {rows.length === 0 ? (
        <p class="pad muted">No step yet.</p>
      ) : (
        <Waterfall
          rows={rows}
          scale={scale}
          now={now}
          isOpen={!isEnded(run)}
          chosen={chosen}
          onChoose={onChoose}
          onTurn={(key) => setTurned(withTurned(turned, key))}
        />
      )}
      <div class="more">
        <span>
          {run.invoker === undefined ? "Started" : "Called by another run"}
          {run.workflowRunCallerIp === undefined ? "" : ` from ${run.workflowRunCallerIp}`}
        </span>
        <span class="hide-s">
          <kbd>j</kbd> <kbd>k</kbd> step · <kbd>[</kbd> <kbd>]</kbd> attempt · <kbd>z</kbd> scale
        </span>
      </div>
    </>
  );
}

interface HeadProps {
  readonly title: string;
  readonly work: string;
  readonly isTrue: boolean;
  /** Null when both scales are the same. */
  readonly onScale: ((isTrue: boolean) => void) | null;
}

function Head({ title, work, isTrue, onScale }: HeadProps) {
  return (
    <header class="wf-head">
      <h2>{title}</h2>
      <span class="muted hide-s">{work}</span>
      <div class="legend hide-s">
        <span>
          <i class="key ok" />
          work
        </span>
        <span>
          <i class="key bad" />
          error
        </span>
        <span>
          <i class="key hatched" />
          waiting
        </span>
      </div>
      {onScale === null ? null : (
        <div class="acts hide-s">
          <Segmented
            label="Time scale"
            value={isTrue ? "true" : "short"}
            options={[
              { value: "short", name: "Waits shortened" },
              { value: "true", name: "True to scale" },
            ]}
            onChoose={(value) => onScale(value === "true")}
          />
        </div>
      )}
    </header>
  );
}

/** A step that takes the whole line would leave no room for its words. */
function scaleOf(
  steps: readonly TimedStep[],
  now: number,
  width: number,
  of: (width: number) => TimeScale,
): TimeScale {
  const scale = of(width);
  const fills = ({ startedAt, endedAt, isCarriedOver }: TimedStep): boolean =>
    !isCarriedOver &&
    scale.x(startedAt) < WORDS_WIDTH &&
    scale.x(endedAt ?? now) > width - WORDS_WIDTH;
  return steps.some(fills) ? of(width - WORDS_WIDTH) : scale;
}

const WORDS_WIDTH = 20;

function withTurned(turned: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(turned);
  if (!next.delete(key)) next.add(key);
  return next;
}

/** From the start of the run to its end or to now; a step may have ended a moment later. */
function domainOf(from: number, steps: readonly TimedStep[], now: number, hasEnded: boolean): Span {
  const ends = steps.map(({ endedAt, startedAt }) => endedAt ?? startedAt);
  const to = hasEnded ? Math.max(now, ...(ends.length > 1_000 ? [] : ends)) : Math.max(now, from);
  return { from, to };
}
