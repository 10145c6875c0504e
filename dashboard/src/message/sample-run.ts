/** A run of the workflow that dev itself serves, so that a first run needs no code. */
import type { Triggered } from "../../../sdk/src/answers/workflow.ts";
import { announceFailure } from "../app/announce.ts";
import { call } from "../app/api.ts";
import { navigate } from "../app/router.ts";
import { isReadOnly, session } from "../app/session.ts";

/** Starts a run of it and shows the run; null where there is none, or the session may not. */
export function sampleRunStart(): (() => Promise<void>) | null {
  const { isDev = false, accountId = null } = session.value ?? {};
  return isDev && accountId !== null && !isReadOnly.value ? () => start(accountId) : null;
}

async function start(accountId: string): Promise<void> {
  const url = `${window.location.origin}/dev/workflow/${encodeURIComponent(accountId)}`;
  try {
    const { workflowRunId } = await call<Triggered>(`/v2/trigger/${url}`, {
      method: "POST",
      headers: { "Svc-Label": "sample", "Svc-Retry-Delay": "3000" },
      body: { customer: "you" },
    });
    navigate(`/runs/${encodeURIComponent(workflowRunId)}`);
  } catch (error) {
    announceFailure("The sample workflow was not started.", error);
  }
}
