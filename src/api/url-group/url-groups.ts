import * as urlGroups from "../../operations/url-group/url-groups.ts";
import {
  readDefaultHeaders,
  readEndpoints,
  readEndpointsToRemove,
  URL_GROUP_BODY_BYTES_MAX,
  urlGroupJson,
} from "../../wire/url-group/url-group.ts";
import { requireNoFilters } from "../../wire/filters/filter-parameters.ts";
import { type Answer, EMPTY, json } from "../http/answers/answer.ts";
import type { AccountCall, Api } from "../http/server/call.ts";

export async function listUrlGroups({ context }: Api, call: AccountCall): Promise<Answer> {
  requireNoFilters(call.query);
  const found = await urlGroups.listUrlGroups(context, call.access.account.accountId);
  return json(200, found.map(urlGroupJson));
}

export async function showUrlGroup({ context }: Api, call: AccountCall): Promise<Answer> {
  const { access, parameters } = call;
  return json(
    200,
    urlGroupJson(await urlGroups.getUrlGroup(context, access.account.accountId, parameters[0]!)),
  );
}

export async function addEndpoints({ context }: Api, call: AccountCall): Promise<Answer> {
  const { access, parameters } = call;
  const endpoints = readEndpoints(await call.body.read(URL_GROUP_BODY_BYTES_MAX));
  const urlGroup = await urlGroups.putEndpoints(context, access.account, parameters[0]!, endpoints);
  return json(200, urlGroupJson(urlGroup));
}

export async function deleteEndpoints({ context }: Api, call: AccountCall): Promise<Answer> {
  const { accountId } = call.access.account;
  const endpoints = readEndpointsToRemove(await call.body.read(URL_GROUP_BODY_BYTES_MAX));
  await urlGroups.removeEndpoints(context, accountId, call.parameters[0]!, endpoints);
  return EMPTY;
}

export async function setDefaultHeaders({ context }: Api, call: AccountCall): Promise<Answer> {
  const { accountId, limits } = call.access.account;
  const { retriesDefault } = limits;
  const body = await call.body.read(URL_GROUP_BODY_BYTES_MAX);
  const headers = readDefaultHeaders(body, { retriesDefault });
  const urlGroup = await urlGroups.setUrlGroupHeaders(
    context,
    accountId,
    call.parameters[0]!,
    headers,
  );
  return json(200, urlGroupJson(urlGroup));
}

export async function deleteUrlGroup({ context }: Api, call: AccountCall): Promise<Answer> {
  await urlGroups.removeUrlGroup(context, call.access.account.accountId, call.parameters[0]!);
  return EMPTY;
}
