import { readHosts, readSeries } from "../../operations/account/stats.ts";
import { hostsJson, readHostQuery, readStatQuery, seriesJson } from "../../wire/account/stats.ts";
import { type Answer, json } from "../http/answers/answer.ts";
import type { AccountCall, Api } from "../http/server/call.ts";

export async function showStats({ context }: Api, call: AccountCall): Promise<Answer> {
  const query = readStatQuery(call.query, context.clock.now());
  return json(
    200,
    seriesJson(query, await readSeries(context, call.access.account.accountId, query)),
  );
}

export async function showHosts({ context }: Api, call: AccountCall): Promise<Answer> {
  const query = readHostQuery(call.query, context.clock.now());
  return json(
    200,
    hostsJson(query, await readHosts(context, call.access.account.accountId, query)),
  );
}
