import type { Account } from "../../core/model/account/account.ts";
import type { Endpoint, EndpointChoice, UrlGroup } from "../../core/model/url-group/url-group.ts";
import { notFound } from "../../core/not-found.ts";
import { Problem } from "../../core/problem.ts";
import { requireWithin } from "../../core/policy/limits/limits.ts";
import { prefixErrors } from "../../wire/headers/header-value.ts";
import type { DefaultHeaders } from "../../wire/url-group/url-group.ts";
import type { Context } from "../context.ts";
import { requireCallbacks } from "../message/destinations.ts";

export function listUrlGroups({ store }: Context, accountId: string): Promise<readonly UrlGroup[]> {
  return store.reader.urlGroups.list(accountId);
}

export async function getUrlGroup(
  { store }: Context,
  accountId: string,
  name: string,
): Promise<UrlGroup> {
  return (await store.reader.urlGroups.get({ accountId, name })) ?? missing(name);
}

export async function putEndpoints(
  { store, clock, readDestination }: Context,
  { accountId, limits }: Account,
  name: string,
  endpoints: readonly Endpoint[],
): Promise<UrlGroup> {
  for (const [index, { url }] of endpoints.entries()) {
    const { problem } = readDestination(url);
    if (problem !== null)
      throw new Problem("invalid-request", `endpoints[${index}].url: ${problem}`);
  }
  const { urlGroupsMax, endpointsPerUrlGroupMax } = limits;
  const answer = await store.act({
    rule: "put-endpoints",
    at: clock.now(),
    key: { accountId, name },
    endpoints,
    limits: { urlGroupsMax, endpointsPerUrlGroupMax },
  });
  if ("quota" in answer) requireWithin(answer.quota, Infinity, answer.limit);
  return answer as UrlGroup;
}

export async function removeEndpoints(
  { store, clock }: Context,
  accountId: string,
  name: string,
  endpoints: readonly EndpointChoice[],
): Promise<void> {
  const key = { accountId, name };
  const answer = await store.act({ rule: "remove-endpoints", at: clock.now(), key, endpoints });
  if (answer === "missing") missing(name);
}

/** Sets default headers of the group. A header of a publish overrides them. */
export async function setUrlGroupHeaders(
  context: Context,
  accountId: string,
  name: string,
  { headers, options }: DefaultHeaders,
): Promise<UrlGroup> {
  prefixErrors("headers", () => requireCallbacks(context, options));
  const { store, clock } = context;
  const key = { accountId, name };
  const answer = await store.act({ rule: "set-url-group-headers", at: clock.now(), key, headers });
  return answer ?? missing(name);
}

/** Removes a group, if it exists. Messages published to it are still delivered. */
export async function removeUrlGroup(
  { store }: Context,
  accountId: string,
  name: string,
): Promise<void> {
  await store.act({ rule: "remove-url-group", key: { accountId, name } });
}

function missing(name: string): never {
  throw notFound("topic", name, "name");
}
