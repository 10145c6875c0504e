import { countRunStates } from "../../operations/workflow/run-counts.ts";
import { listRunEvents, listRunLogs } from "../../operations/workflow/run-logs.ts";
import type { Json } from "../../wire/message/message.ts";
import { withoutHookIds } from "../../wire/workflow/hidden-steps.ts";
import {
  readRunEventQuery,
  readRunLogQuery,
  RUN_LOG_ROWS,
  type RunLogQuery,
} from "../../wire/workflow/run-log-query.ts";
import { RUN_COUNTS, RUN_EVENT_PAGE, RUN_PAGE } from "../../wire/workflow/run-schemas.ts";
import { json, longJson } from "../http/answers/answer.ts";
import type { AccountCall, Api, Route } from "../http/server/call.ts";

/** The endpoints of the run log. */
export const WORKFLOW_LOG_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v2/workflows/logs",
    title: "List runs",
    needs: "read",
    handler: async (api, call) => {
      const { cursor, runs } = await listRuns(api, call, readRunLogQuery(call.query));
      return longJson({ cursor: cursor ?? "", runs });
    },
    lists: true,
    says: "Lists runs with their steps, newest first.",
    query: RUN_LOG_ROWS,
    answers: { 200: RUN_PAGE },
  },
  {
    method: "GET",
    path: "/v2/workflows/counts",
    title: "Count runs",
    needs: "read",
    handler: async ({ context }, { account }) =>
      json(200, { ...(await countRunStates(context, account)) }),
    lists: true,
    says: "Counts the runs in each state, among the newest 10,000, and what the open ones wait for, among 200 of them.",
    answers: { 200: RUN_COUNTS },
  },
  // The path that SDKs use. Its last page has no cursor.
  {
    method: "GET",
    path: "/v2/workflows/events",
    title: "List events of runs",
    needs: "read",
    handler: async (api, call) => {
      const query = readRunEventQuery(call.query);
      if (query.lists === "runs") return longJson(await listRuns(api, call, query));
      const { items, cursor } = await listRunEvents(api.context, call.account, query);
      return longJson({ cursor, events: shownTo(call, items) });
    },
    lists: true,
    says: "Lists events of runs. With `?groupBy=workflowRunId` it lists runs with their steps.",
    query: RUN_LOG_ROWS,
    answers: { 200: RUN_EVENT_PAGE },
  },
];

async function listRuns(
  { context }: Api,
  call: AccountCall,
  query: RunLogQuery,
): Promise<{ readonly cursor: string | undefined; readonly runs: readonly Json[] }> {
  const { items, cursor } = await listRunLogs(context, call.account, query);
  return { cursor, runs: shownTo(call, items) };
}

function shownTo({ access }: AccountCall, logged: readonly Json[]): readonly Json[] {
  return access.isReadOnly ? logged.map(withoutHookIds) : logged;
}
