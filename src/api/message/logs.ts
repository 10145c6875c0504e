import { listLog } from "../../operations/message/logs.ts";
import { readLogQuery } from "../../wire/filters/filters.ts";
import { logEntryJson } from "../../wire/message/log-entry.ts";
import type { Json } from "../../wire/message/message.ts";
import { type Answer, json } from "../http/answers/answer.ts";
import type { AccountCall, Api } from "../http/server/call.ts";

export async function listLogs(api: Api, call: AccountCall): Promise<Answer> {
  const { entries, cursor } = await readEntries(api, call);
  return json(200, { cursor, logs: entries });
}

/** The older name of the same list, which every SDK uses. */
export async function listEvents(api: Api, call: AccountCall): Promise<Answer> {
  const { entries, cursor } = await readEntries(api, call);
  return json(200, { cursor, events: entries });
}

async function readEntries(
  { context }: Api,
  { access, query }: AccountCall,
): Promise<{ entries: readonly Json[]; cursor: string | undefined }> {
  const page = await listLog(context, access.account, readLogQuery(query));
  return { entries: page.items.map(logEntryJson), cursor: page.cursor };
}
