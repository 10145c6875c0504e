import { Problem } from "../../../core/problem.ts";
import { doSampleStep, type SampleAnswer } from "../../../operations/workflow/sample-workflow.ts";
import { invalidRequest } from "../../../wire/headers/header-value.ts";
import { jsonElements } from "../../../wire/json/json.ts";
import { readWorkflowHeaders } from "../../../wire/workflow/workflow-headers.ts";
import { type Answer, json } from "../answers/answer.ts";
import type { AdmittedHandler, Api, UnreadCall } from "../server/call.ts";
import { retriedOf } from "./echo.ts";

/**
 * A workflow inside dev, so that a first run needs no program. The path names the account, since a
 * delivery has no token; only runs that were started at this path can be delivered to it.
 */
export function admitSampleWorkflow(api: Api, { request, id }: UnreadCall): AdmittedHandler {
  if (!api.hasEcho) throw new Problem("not-found", "the sample workflow exists in dev only");
  const run = readWorkflowHeaders(request.rawHeaders);
  if (run === null) throw invalidRequest("Svc-Workflow-RunId: is missing; start a run of this URL");
  const { runId, createdAt } = run;
  return async (body) => {
    const entries = [...jsonElements(await body.read(SAMPLE_BYTES_MAX), SAMPLE_BYTES_MAX)];
    const answer = await doSampleStep(api.context, {
      ref: { accountId: id, runId, createdAt },
      path: URL.parse(request.url ?? "", "http://dev")?.pathname ?? "",
      entries: entries.length,
      isRetry: retriedOf(request.rawHeaders) > 0,
      callerIp: api.callerIp(request),
    });
    return answerOf(answer, runId);
  };
}

function answerOf(answer: SampleAnswer, workflowRunId: string): Answer {
  switch (answer.kind) {
    case "reply":
      return { ...json(200, answer.reply), headers: ["Svc-Workflow-Reply", "1"] };
    case "failed": {
      const { stepName, message } = answer;
      const headers = ["Svc-Error-Step-Name", encodeURIComponent(stepName)];
      return { ...json(500, { error: "Error", message }), headers };
    }
    case "submitted":
      return json(200, { workflowRunId });
  }
}

const SAMPLE_BYTES_MAX = 1024 * 1024;
