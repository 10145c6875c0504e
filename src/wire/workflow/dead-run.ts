import type { AttemptRecord } from "../../core/model/message/attempt.ts";
import type { DeadRun } from "../../core/model/workflow/dead-run.ts";
import type { TypeOf } from "../json/schema.ts";
import { shownBody } from "../message/body.ts";
import { deathJson } from "../message/dead-letter.ts";
import { answerHeaders, contentJson, settingsJson } from "../message/message.ts";
import { failureState } from "./run-log.ts";
import type { DEAD_RUN, ReportState } from "./run-schemas.ts";

/** A failed run as the API shows it: its start, and its failure. */
export function deadRunJson(dead: DeadRun): TypeOf<typeof DEAD_RUN> {
  const { deadLetter, state, payload, message, attempt, reportAnswer } = dead;
  const { run, failure } = state;
  const { header = {}, ...content } = contentJson(run, payload);
  const report = failureState(failure?.call);
  return {
    ...deathJson(deadLetter, attempt),
    messageId: message.messageId,
    url: run.workflowUrl,
    method: message.method,
    ...content,
    header,
    ...settingsJson(run.settings),
    notBefore: message.notBefore,
    createdAt: message.createdAt,
    workflowRunId: run.runId,
    workflowCreatedAt: run.createdAt,
    workflowUrl: run.workflowUrl,
    failureCallbackInfo: report === undefined ? undefined : reportJson(report, reportAnswer),
    failureFunctionState: report,
  };
}

function reportJson(state: ReportState, answer: AttemptRecord | null) {
  if (answer === null) return { state };
  return {
    state,
    responseStatus: answer.status,
    responseBody: shownBody(answer.body).text,
    responseHeaders: answerHeaders(answer),
  };
}
