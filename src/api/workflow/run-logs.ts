import { listRunEvents, listRunLogs } from "../../operations/workflow/run-logs.ts";
import type { Json } from "../../wire/message/message.ts";
import { withoutHookIds } from "../../wire/workflow/hidden-steps.ts";
import {
  readRunEventQuery,
  readRunLogQuery,
  type RunLogQuery,
} from "../../wire/workflow/run-log-query.ts";
import { type Answer, longJson } from "../http/answers/answer.ts";
import type { AccountCall, Api } from "../http/server/call.ts";

/** Runs with their steps. */
export async function listWorkflowLogs(api: Api, call: AccountCall): Promise<Answer> {
  const { cursor, runs } = await listRuns(api, call, readRunLogQuery(call.query));
  return longJson({ cursor: cursor ?? "", runs });
}

/** The path that SDKs use: runs when grouped by run, else events. Its last page has no cursor. */
export async function listWorkflowEvents(api: Api, call: AccountCall): Promise<Answer> {
  const query = readRunEventQuery(call.query);
  if (query.lists === "runs") return longJson(await listRuns(api, call, query));
  const { items, cursor } = await listRunEvents(api.context, call.access.account, query);
  return longJson({ cursor, events: shownTo(call, items) });
}

async function listRuns(
  { context }: Api,
  call: AccountCall,
  query: RunLogQuery,
): Promise<{ readonly cursor: string | undefined; readonly runs: readonly Json[] }> {
  const { items, cursor } = await listRunLogs(context, call.access.account, query);
  return { cursor, runs: shownTo(call, items) };
}

function shownTo({ access }: AccountCall, logged: readonly Json[]): readonly Json[] {
  return access.isReadOnly ? logged.map(withoutHookIds) : logged;
}
