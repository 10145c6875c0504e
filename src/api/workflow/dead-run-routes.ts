import { countDead, countSent, getDead, listDead } from "../../operations/dead-pages.ts";
import * as deadRuns from "../../operations/workflow/dead-runs.ts";
import { rerunMany, rerunOne, type RerunKind } from "../../operations/workflow/rerun.ts";
import { anyOf } from "../../wire/json/schema.ts";
import type { Json } from "../../wire/message/message.ts";
import { COUNTED, DELETED, DLQ_IDS } from "../../wire/message/message-schemas.ts";
import { deadRunJson } from "../../wire/workflow/run-log.ts";
import * as queries from "../../wire/filters/filters.ts";
import { DEAD_RUN, DEAD_RUN_PAGE, RERUN, RERUNS } from "../../wire/workflow/run-schemas.ts";
import { readTriggerHeaders } from "../../wire/workflow/workflow-headers.ts";
import {
  type Answer,
  counted,
  emptyAfter,
  json,
  jsonPage,
  jsonAndBody,
} from "../http/answers/answer.ts";
import type { AccountCall, AccountHandler, Api, Route } from "../http/server/call.ts";
import { overridesOf } from "../message/publish.ts";
import type { RunInstance } from "../../core/model/message/message.ts";

/** The endpoints of failed runs. */
export const DEAD_RUN_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v2/workflows/dlq",
    title: "List failed runs",
    needs: "read",
    handler: listDeadRuns,
    lists: true,
    says: "Lists failed runs, newest first. The same as `/v2/dlq?source=workflow`.",
    query: queries.DEAD_RUN_ROWS,
    answers: { 200: DEAD_RUN_PAGE },
  },
  {
    method: "DELETE",
    path: "/v2/workflows/dlq",
    title: "Delete failed runs",
    needs: "write",
    handler: async ({ context }, { accountId, query: given, body }) => {
      const query = queries.readDeadRunBulk(given, await body.read(BODY_BYTES_MAX));
      if (query.isDryRun) return counted(await countDead(context, "deadRuns", accountId, query));
      const { deleted, cursor } = await deadRuns.removeDeadRuns(context, accountId, query);
      return json(200, { cursor: cursor ?? "", deleted });
    },
    lists: true,
    says: "Deletes the failed runs that match from the dead-letter queue. **Without a filter this deletes all of them.**",
    query: queries.DELETE_RUN_ROWS,
    body: DLQ_IDS,
    answers: { 200: anyOf(DELETED, COUNTED) },
  },
  {
    method: "GET",
    path: "/v2/workflows/dlq/{dlqId}",
    title: "Get a failed run",
    needs: "read",
    handler: async ({ context }, { account, accountId, id }) => {
      await context.reserve?.(account.limits.messageBytesMax);
      const dead = await getDead(context, "deadRuns", accountId, id);
      const { settings } = dead.state.run;
      return jsonAndBody(dead.payload, settings, (payload) => deadRunJson({ ...dead, payload }));
    },
    says: "Shows a failed run: its payload, headers and last answer.",
    answers: { 200: DEAD_RUN },
  },
  {
    method: "DELETE",
    path: "/v2/workflows/dlq/{dlqId}",
    title: "Delete a failed run",
    needs: "write",
    handler: ({ context }, { accountId, id }) =>
      emptyAfter(deadRuns.removeDeadRun(context, accountId, id)),
    says: "Deletes a failed run from the dead-letter queue.",
    answers: { 200: null },
  },
  {
    method: "POST",
    path: "/v2/workflows/dlq/resume",
    title: "Resume failed runs",
    needs: "write",
    handler: rerunAll("resume"),
    lists: true,
    says: "Resumes the failed runs that match where they failed, as new runs. Headers replace their settings. `over=10m` spreads them evenly over that time, at most `1d`.",
    query: queries.RERUN_ROWS,
    headers: "retry",
    body: DLQ_IDS,
    answers: { 200: anyOf(RERUNS, COUNTED) },
  },
  {
    method: "POST",
    path: "/v2/workflows/dlq/resume/{dlqId}",
    title: "Resume a failed run",
    needs: "write",
    handler: rerun("resume"),
    says: "Resumes one failed run where it failed, as a new run.",
    headers: "retry",
    answers: { 200: RERUN },
  },
  {
    method: "POST",
    path: "/v2/workflows/dlq/restart",
    title: "Restart failed runs",
    needs: "write",
    handler: rerunAll("restart"),
    lists: true,
    says: "Restarts the failed runs that match from the beginning, as new runs. Headers replace their settings. `over=10m` spreads them evenly over that time, at most `1d`.",
    query: queries.RERUN_ROWS,
    headers: "retry",
    body: DLQ_IDS,
    answers: { 200: anyOf(RERUNS, COUNTED) },
  },
  {
    method: "POST",
    path: "/v2/workflows/dlq/restart/{dlqId}",
    title: "Restart a failed run",
    needs: "write",
    handler: rerun("restart"),
    says: "Restarts one failed run from the beginning, as a new run.",
    headers: "retry",
    answers: { 200: RERUN },
  },
  {
    method: "POST",
    path: "/v2/workflows/dlq/callback/{dlqId}",
    title: "Retry a failure callback",
    needs: "write",
    handler: async ({ context }, { accountId, id }) =>
      json(200, runJson(await deadRuns.retryReport(context, accountId, id))),
    says: "Sends the failure callback of a failed run again, after it has failed.",
    answers: { 200: RERUN },
  },
  {
    method: "DELETE",
    path: "/v2/workflows/dlq/callback/{dlqId}",
    title: "Cancel a failure callback",
    needs: "write",
    handler: async ({ context }, { accountId, id }) =>
      json(200, runJson(await deadRuns.cancelReport(context, accountId, id))),
    says: "Cancels the failure callback of a failed run.",
    answers: { 200: RERUN },
  },
];

/** Also the list of dead letters, where a query asks for those of runs. */
export async function listDeadRuns({ context }: Api, call: AccountCall): Promise<Answer> {
  const query = queries.readDeadRunQuery(call.query);
  const { items, cursor } = await listDead(context, "deadRuns", call.accountId, query);
  return jsonPage({ cursor }, "messages", items, deadRunJson);
}

function rerun(kind: RerunKind): AccountHandler {
  return async ({ context }, call) => {
    const { runId } = readTriggerHeaders(call.request.rawHeaders);
    const given = { ...overridesOf(call), runId };
    await call.body.read(BODY_BYTES_MAX);
    return json(200, runJson(await rerunOne(context, call.account, kind, call.id, given)));
  };
}

function rerunAll(kind: RerunKind): AccountHandler {
  return async ({ context }, call) => {
    const { account } = call;
    const given = overridesOf(call);
    const query = queries.readDeadRunBulk(
      call.query,
      await call.body.read(BODY_BYTES_MAX),
      queries.RERUN_ROWS,
    );
    if (query.isDryRun) return counted(await countSent(context, "deadRuns", account, query, given));
    const { runs, cursor } = await rerunMany(context, account, kind, query, given);
    return json(200, { cursor: cursor ?? "", workflowRuns: runs.map(runJson) });
  };
}

function runJson({ runId, createdAt }: RunInstance): Json {
  return { workflowRunId: runId, workflowCreatedAt: createdAt };
}

const BODY_BYTES_MAX = 256 * 1024;
