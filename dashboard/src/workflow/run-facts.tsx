/** The facts of a run in one row. */
import type { Run } from "../../../sdk/src/answers/workflow.ts";
import { second } from "../app/clock.ts";
import { durationText, roughText, shortId } from "../app/format.ts";
import { wordOf } from "../parts/chip.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { Fact, LabelsFact } from "../parts/fact.tsx";
import { Time } from "../parts/time.tsx";
import { isEnded, runHref } from "./run-log.ts";
import { tookMs } from "./run-state.ts";

export function RunFactsRow({ run }: { readonly run: Run }) {
  const { workflowRunId, labels = [], invoker, failureFunction, flowControlKey } = run;
  return (
    <dl class="facts">
      <Fact name="Run">
        <span class="row">
          <code class="cut" title={workflowRunId}>
            {shortId(workflowRunId)}
          </code>
          <CopyButton text={workflowRunId} what="run id" />
        </span>
      </Fact>
      <Fact name="Started">
        <Time at={run.workflowRunCreatedAt} form="sentence" />
      </Fact>
      <Fact name={isEnded(run) ? "Took" : "Runs for"}>
        {isEnded(run) ? durationText(tookMs(run, 0)) : roughText(tookMs(run, second.value))}
      </Fact>
      <LabelsFact labels={labels} list="/runs" />
      {flowControlKey === undefined ? null : <Fact name="Key">{flowControlKey}</Fact>}
      {invoker === undefined ? null : (
        <Fact name="Called by">
          <a class="link mono" href={runHref(invoker.workflowRunId, invoker.workflowRunCreatedAt)}>
            {shortId(invoker.workflowRunId)}
          </a>
        </Fact>
      )}
      <OtherRun name="Continues" of={run.rerunOf} />
      <OtherRun name="Continued by" of={run.followedBy} />
      {failureFunction === undefined ? null : (
        <Fact name="Failure function">
          <FailureWords state={failureFunction.state} status={failureFunction.responseStatus} />
        </Fact>
      )}
    </dl>
  );
}

/** A run and the one that resumes or restarts it lead to each other. */
function OtherRun({ name, of }: { readonly name: string; readonly of: Run["rerunOf"] }) {
  if (of === undefined) return null;
  const { workflowRunId, workflowRunCreatedAt } = of;
  return (
    <Fact name={name}>
      <a class="link mono" href={runHref(workflowRunId, workflowRunCreatedAt)}>
        {shortId(workflowRunId)}
      </a>
    </Fact>
  );
}

export function FailureWords({
  state = "",
  status,
}: {
  readonly state: string | undefined;
  readonly status: number | undefined;
}) {
  const tone = { CALLBACK_SUCCESS: "ok", CALLBACK_FAIL: "bad" }[state] ?? "";
  return (
    <span class={tone} title={state}>
      {wordOf(state)}
      {status === undefined ? "" : `, ${status}`}
    </span>
  );
}
