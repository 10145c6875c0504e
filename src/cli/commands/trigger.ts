import { systemClock } from "../../platform/clock.ts";
import type { StepLog } from "../../../sdk/src/answers/workflow.ts";
import { CommandError } from "../command-error.ts";
import { type Handlers, type Invocation, serverNow, word } from "../invocation.ts";
import { plain } from "../terminal/output.ts";
import { messageSettings, textBodyOf } from "./message-options.ts";
import { endLine, groupLine, isSettled } from "./run-steps.ts";

export const HANDLERS: Handlers = {
  trigger: async (invocation) => {
    const { client, output, flags } = invocation;
    const settings = messageSettings(flags);
    const run = await client.workflow.trigger({
      url: word(invocation, 0),
      body: textBodyOf(flags),
      headers: settings.headers,
      delay: settings.delay,
      notBefore: settings.notBefore,
      retries: settings.retries,
      retryDelay: settings.retryDelay,
      label: settings.label,
      flowControl: settings.flowControl,
      redact: settings.redact,
      workflowRunId: flags.text("run-id"),
      failureUrl: flags.text("failure-url"),
    });
    const { workflowRunId, deduplicated } = run;
    const note = deduplicated === true ? "is running already" : "started";
    const follows = flags.is("follow");
    // A program that follows gets the run once, as it ended.
    if (!follows || output.mode !== "json") {
      output.one(run, () => plain(`${workflowRunId}  ${note}`), workflowRunId);
    }
    if (follows) await follow(invocation, workflowRunId);
  },
};

/** Prints steps as they end, and what the run waits for, until it has ended. */
async function follow({ client, output, connection }: Invocation, id: string): Promise<void> {
  let settled = 0;
  let waiting = "";
  for (;;) {
    const run = await client.workflow.get(id);
    const now = serverNow();
    const groups = run?.steps ?? [];
    while (settled < groups.length && isSettled(groups[settled]!)) {
      const line = groupLine(groups[settled]!, now);
      if (line !== undefined) output.text(`${line}\n`);
      settled += 1;
    }
    const next = groups[settled];
    const states = next?.steps.map(stateText).join() ?? "";
    if (next !== undefined && states !== waiting) {
      waiting = states;
      const line = groupLine(next, now);
      if (line !== undefined) output.text(`${line}\n`);
    }
    if (run !== undefined && run.workflowState !== "RUN_STARTED") {
      output.json(run);
      output.text(`  ${endLine(run)}   ${connection.url}/runs/${encodeURIComponent(id)}\n`);
      if (run.workflowState === "RUN_SUCCESS") return;
      throw new CommandError(`the run ${id} ended as ${run.workflowState}`, 6);
    }
    await systemClock.sleep(POLL_MS);
  }
}

/** Differs when the step has come further, or has failed once more. */
function stateText({ stepName, state, errors = [] }: StepLog): string {
  return `${stepName} ${state} ${errors.length}`;
}

const POLL_MS = 300;
