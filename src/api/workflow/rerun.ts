import type { PublishOptions } from "../../core/model/message/publish-options.ts";
import { cancelReport, retryReport } from "../../operations/workflow/failure-reports.ts";
import {
  countReruns,
  rerunOne,
  rerunMany,
  type RerunKind,
  type StartedAgain,
} from "../../operations/workflow/rerun.ts";
import { readDeadRunBulk, RERUN_ROWS } from "../../wire/workflow/dead-run-query.ts";
import type { Json } from "../../wire/message/message.ts";
import { readTriggerHeaders } from "../../wire/workflow/workflow-headers.ts";
import { type Answer, counted, json } from "../http/answers/answer.ts";
import type { AccountCall, Api } from "../http/server/call.ts";
import { overridesOf } from "../message/dead-letters.ts";
import { BODY_BYTES_MAX } from "./dead-runs.ts";

/** Resumes or restarts failed runs: one, or all that match. */
export const resumeRun = (api: Api, call: AccountCall): Promise<Answer> => one(api, call, "resume");
export const restartRun = (api: Api, call: AccountCall): Promise<Answer> =>
  one(api, call, "restart");
export const resumeRuns = (api: Api, call: AccountCall): Promise<Answer> =>
  many(api, call, "resume");
export const restartRuns = (api: Api, call: AccountCall): Promise<Answer> =>
  many(api, call, "restart");

export async function retryFailureCallback({ context }: Api, call: AccountCall): Promise<Answer> {
  const { accountId } = call.access.account;
  return json(200, runJson(await retryReport(context, accountId, call.parameters[0]!)));
}

export async function cancelFailureCallback({ context }: Api, call: AccountCall): Promise<Answer> {
  const { accountId } = call.access.account;
  return json(200, runJson(await cancelReport(context, accountId, call.parameters[0]!)));
}

async function one({ context }: Api, call: AccountCall, kind: RerunKind): Promise<Answer> {
  const { runId } = readTriggerHeaders(call.request.rawHeaders);
  const given = { ...overridesOf(call), runId };
  await call.body.read(BODY_BYTES_MAX);
  const { account } = call.access;
  return json(200, runJson(await rerunOne(context, account, kind, call.parameters[0]!, given)));
}

async function many({ context }: Api, call: AccountCall, kind: RerunKind): Promise<Answer> {
  const given: PublishOptions = overridesOf(call);
  const body = await call.body.read(BODY_BYTES_MAX);
  const query = readDeadRunBulk(call.query, body, RERUN_ROWS);
  const { account } = call.access;
  if (query.isDryRun) return counted(await countReruns(context, account, query, given));
  const { runs, cursor } = await rerunMany(context, account, kind, query, given);
  return json(200, { cursor: cursor ?? "", workflowRuns: runs.map(runJson) });
}

function runJson({ runId, createdAt }: StartedAgain): Json {
  return { workflowRunId: runId, workflowCreatedAt: createdAt };
}
