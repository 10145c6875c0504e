import { listWaiting } from "../../operations/line/waiting.ts";
import { requireNoFilters } from "../../wire/filters/filter-parameters.ts";
import { waitingJson } from "../../wire/line/waiting.ts";
import { type Answer, json } from "../http/answers/answer.ts";
import type { AccountCall, Api } from "../http/server/call.ts";

export async function showWaiting({ context }: Api, call: AccountCall): Promise<Answer> {
  requireNoFilters(call.query);
  return json(200, waitingJson(await listWaiting(context, call.access.account.accountId)));
}
