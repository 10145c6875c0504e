/** One run: what it is, its steps over time, the chosen step, and what it was started with. */
import { useMemo, useState } from "preact/hooks";
import type { Run } from "../../../sdk/src/answers/workflow.ts";
import { second } from "../app/clock.ts";
import { destinationOf, durationText } from "../app/format.ts";
import { useKeys } from "../app/keys.ts";
import { navigate, place, setQuery } from "../app/router.ts";
import type { ScreenProps } from "../app/screen-props.ts";
import { isReadOnly } from "../app/session.ts";
import { Blank } from "../parts/blank.tsx";
import { Chip, ChipSkeleton } from "../parts/chip.tsx";
import { UrlText } from "../parts/destination.tsx";
import { LoadProblem } from "../parts/load-problem.tsx";
import { Notice } from "../parts/notice.tsx";
import { Bar } from "../shell/bar.tsx";
import { CommonNotices } from "../shell/shell.tsx";
import { NotifyDialog } from "./notify-dialog.tsx";
import { RunActions } from "./run-actions.tsx";
import { RunBodies } from "./run-bodies.tsx";
import { RunFactsRow } from "./run-facts.tsx";
import { isEnded } from "./run-log.ts";
import { type RunFacts, useRun } from "./run-resource.ts";
import { failedStep, failureText, stateOf } from "./run-state.ts";
import { type TimedStep, timelineOf } from "./run-timeline.ts";
import { StepDetail } from "./step-detail.tsx";
import { isWork, piecesOf } from "./step-pieces.ts";
import { WaterfallCard } from "./waterfall-card.tsx";

export function RunScreen({ id }: ScreenProps) {
  const resource = useRun(id, place.value.query.get("at"));
  useKeys({ Escape: () => navigate("/runs") });
  const facts = resource.value?.facts;
  if (facts === null) return <Gone id={id} />;
  const run = facts?.run;
  return (
    <>
      <Bar
        title={run === undefined ? "Run" : titleOf(run)}
        heading={run && <UrlText url={run.workflowUrl} />}
        parent={{ name: "Runs", href: "/runs" }}
        beside={run === undefined ? <ChipSkeleton /> : <Chip isBig state={stateOf(run)} />}
      >
        {run === undefined ? null : <RunActions key={run.dlqId} run={run} />}
      </Bar>
      <div class="body">
        <CommonNotices />
        <LoadProblem of={resource} what="the run" />
        {facts === undefined ? <Loading /> : <Loaded facts={facts} />}
      </div>
    </>
  );
}

function titleOf({ workflowUrl }: Run): string {
  const { host, path } = destinationOf(workflowUrl);
  return `${host}${path}`;
}

function Loaded({ facts }: { readonly facts: RunFacts }) {
  const { run } = facts;
  const steps = useMemo(() => timelineOf(run, facts.events), [facts]);
  const [notified, setNotified] = useState<TimedStep | null>(null);
  const now = isEnded(run) ? (run.workflowRunCompletedAt ?? 0) : second.value;
  const asked = place.value.query.get("step");
  const chosen = chosenOf(steps, asked);
  const workMs = steps
    .flatMap((timed) => piecesOf(timed, now).filter(isWork))
    .reduce((sum, { from, to }) => sum + to - from, 0);
  return (
    <>
      <div class={`cols run-cols ${chosen === null ? "" : "panel"}`}>
        <div class="stack">
          <FailureNotice run={run} />
          <div class="card">
            <RunFactsRow run={run} />
            <WaterfallCard
              facts={facts}
              steps={steps}
              now={now}
              work={`${durationText(workMs)} of work`}
              chosen={chosen?.key ?? (asked === "failure" ? asked : null)}
              onChoose={(key) => setQuery({ step: key })}
            />
          </div>
        </div>
        {chosen === null ? null : (
          <StepDetail
            key={chosen.key}
            timed={chosen}
            now={now}
            onClose={() => setQuery({ step: "none" })}
            onNotify={canNotify(chosen) ? () => setNotified(chosen) : undefined}
          />
        )}
        <RunBodies run={run} />
      </div>
      {notified === null ? null : (
        <NotifyDialog
          runId={run.workflowRunId}
          eventId={notified.step.waitEventId ?? ""}
          onClose={() => setNotified(null)}
        />
      )}
    </>
  );
}

/** Without a choice: what went wrong, or what is open. */
function chosenOf(steps: readonly TimedStep[], asked: string | null): TimedStep | null {
  if (asked !== null)
    return steps.find(({ key }) => key === asked || `${key}-run` === asked) ?? null;
  return (
    steps.find(({ step }) => step.state === "STEP_FAILED") ??
    steps.find(({ step }) => step.state === "STEP_RETRY") ??
    steps.find(({ step }) => step.state === "STEP_PROGRESS") ??
    null
  );
}

function canNotify({ step, kind }: TimedStep): boolean {
  return (
    kind === "event" &&
    step.state === "STEP_PROGRESS" &&
    step.waitEventId !== undefined &&
    !isReadOnly.value
  );
}

function FailureNotice({ run }: { readonly run: Run }) {
  const failed = failedStep(run);
  if (failed === null) return null;
  const said = run.failureFunction?.failResponse ?? messageIn(failed.errors?.at(-1)?.body);
  return (
    <Notice title={`${failureText(failed)}.`}>
      {said === undefined || said === "" ? "" : said.slice(0, SAID_MAX)}
    </Notice>
  );
}

/** An SDK answers its error as JSON with a message. */
function messageIn(body: string | undefined): string | undefined {
  try {
    const value: unknown = JSON.parse(body ?? "");
    const { message } = (value ?? {}) as { message?: unknown };
    return typeof message === "string" ? message : undefined;
  } catch {
    return body;
  }
}

function Loading() {
  return (
    <div class="card" aria-busy="true">
      <div class="pad stack">
        {["34%", "52%", "28%", "61%", "40%"].map((width) => (
          <svg key={width} class="skel" width={width} aria-hidden="true" />
        ))}
      </div>
    </div>
  );
}

function Gone({ id }: { readonly id: string }) {
  return (
    <>
      <Bar title="Run" parent={{ name: "Runs", href: "/runs" }} />
      <div class="body">
        <CommonNotices />
        <div class="card">
          <Blank icon="runs" title="This run is not here">
            <span class="soft">
              <code>{id}</code> is unknown, of another account, or older than runs are kept.
            </span>
            <a class="btn s" href="/runs">
              See all runs
            </a>
          </Blank>
        </div>
      </div>
    </>
  );
}

const SAID_MAX = 400;
