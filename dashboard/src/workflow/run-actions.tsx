/** What can be done with a run: cancel, copy as a command, restart, resume. */
import type { FailedRunPage, RerunRun } from "../../../sdk/src/answers/dead-run.ts";
import type { Message } from "../../../sdk/src/answers/message.ts";
import type { Run, RunPage, Triggered } from "../../../sdk/src/answers/workflow.ts";
import { call, withQuery } from "../app/api.ts";
import { counted } from "../app/format.ts";
import { useKeys } from "../app/keys.ts";
import { useResource } from "../app/resource.ts";
import { navigate } from "../app/router.ts";
import { isReadOnly } from "../app/session.ts";
import { Button } from "../parts/button.tsx";
import { OverflowMenu } from "../parts/overflow-menu.tsx";
import { announce, announceFailure } from "../app/announce.ts";
import { prefixOf } from "../message/publish.ts";
import { copyCurl, triggerCommand } from "./run-commands.ts";
import { isEnded, nameOf, payloadOf, runHref, runKey, UNNAMED } from "./run-log.ts";
import { failedStep, stepCounts } from "./run-state.ts";

export function RunActions({ run }: { readonly run: Run }) {
  const whyNoRerun = useWhyNoRerun(run);
  const rerun = (kind: "resume" | "restart"): Promise<void> => rerunAs(kind, run.dlqId!);
  const copy = (): void => void copyCurl(triggerCommand(run));
  useKeys({
    c: copy,
    ...(isReadOnly.value ? {} : { r: () => whyNoRerun === null && void rerun("resume") }),
  });
  const failed = failedStep(run);
  const { done } = stepCounts(run);
  return (
    <>
      <Button icon="copy" kind="quiet" class="hide-m" onPress={copy}>
        Copy as curl
      </Button>
      {isReadOnly.value ? null : (
        <>
          <RunAgain run={run} />
          <Button
            kind="quiet"
            icon="x"
            class={isEnded(run) ? "hide-s" : ""}
            whyNot={isEnded(run) ? "This run has ended" : null}
            onPress={() => cancel(run.workflowRunId)}
          >
            Cancel
          </Button>
          <Button
            icon="retry"
            label="Restart from the first step"
            whyNot={whyNoRerun}
            onPress={() => rerun("restart")}
          >
            Restart
          </Button>
          <Button
            kind={run.workflowState === "RUN_FAILED" ? "primary" : ""}
            icon="play"
            label={`Resume${failed === null ? "" : ` at “${nameOf(failed)}”`}, keeping ${counted(done, "finished step")}`}
            whyNot={whyNoRerun}
            onPress={() => rerun("resume")}
          >
            <span class="cut resume-at">
              Resume
              {failed === null || nameOf(failed) === UNNAMED ? null : (
                <span class="hide-s"> at “{nameOf(failed)}”</span>
              )}
            </span>
          </Button>
        </>
      )}
      <OverflowMenu items={[{ name: "Copy as curl", icon: "copy", onPress: copy }]} />
    </>
  );
}

/** A failed run can be run again while it is among the dead letters. */
function useWhyNoRerun({ workflowState, dlqId }: Run): string | null {
  const path =
    dlqId === undefined ? null : withQuery("/v2/workflows/dlq", { dlqIds: dlqId, count: 1 });
  const dead = useResource<FailedRunPage>(path);
  if (workflowState === "RUN_STARTED") return "This run has not ended";
  if (workflowState !== "RUN_FAILED") return "Only a run that failed can be resumed or restarted";
  if (dlqId === undefined || dead.value?.messages.length === 0) {
    return "It was run again or deleted from the dead letters";
  }
  return null;
}

function RunAgain({ run }: { readonly run: Run }) {
  return (
    <Button
      icon="plus"
      label="Run again: a new run with the same payload and labels"
      class={isEnded(run) && run.workflowState !== "RUN_FAILED" ? "" : "hide-m"}
      whyNot={whyNotAgain(run)}
      onPress={() => startLike(run)}
    >
      Run again
    </Button>
  );
}

/** Any run can be started anew, unless its payload is hidden. */
function whyNotAgain(run: Run): string | null {
  const out = payloadOf(run)?.out ?? "";
  return out.startsWith("REDACTED:") ? "Its payload is redacted, so it cannot be sent again" : null;
}

async function startLike(shown: Run): Promise<void> {
  try {
    // Of a large payload only the beginning is shown.
    const query = { groupBy: "workflowRunId", workflowRuns: runKey(shown) };
    const { runs } = await call<RunPage>(withQuery("/v2/workflows/events", query));
    const run = runs[0] ?? shown;
    const { path, headers = [], body = "" } = triggerCommand(run, await prefixFor(run));
    const { workflowRunId } = await call<Triggered>(path, {
      method: "POST",
      headers: Object.fromEntries(headers),
      body,
    });
    announce("Started as a new run.");
    navigate(runHref(workflowRunId));
  } catch (error) {
    announceFailure("No run was started.", error);
  }
}

/** That of the run before, by which its endpoint knows who calls. */
async function prefixFor(run: Run): Promise<string | undefined> {
  const id = payloadOf(run)?.messageId ?? "";
  try {
    const message = await call<Message>(`/v2/messages/${encodeURIComponent(id)}`);
    return prefixOf(message) ?? undefined;
  } catch {
    return undefined;
  }
}

async function rerunAs(kind: "resume" | "restart", dlqId: string): Promise<void> {
  try {
    const { workflowRunId } = await call<RerunRun>(
      `/v2/workflows/dlq/${kind}/${encodeURIComponent(dlqId)}`,
      { method: "POST" },
    );
    announce(kind === "resume" ? "Resumed as a new run." : "Restarted as a new run.");
    navigate(runHref(workflowRunId));
  } catch (error) {
    announceFailure(
      kind === "resume" ? "The run was not resumed." : "The run was not restarted.",
      error,
    );
  }
}

async function cancel(id: string): Promise<void> {
  try {
    await call(`/v2/workflows/runs/${encodeURIComponent(id)}`, { method: "DELETE" });
    announce("Canceled. A step in progress may still end; no other follows.");
  } catch (error) {
    announceFailure("The run was not canceled.", error);
  }
}
