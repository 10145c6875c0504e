import * as topics from "../../operations/url-group/url-groups.ts";
import {
  readDefaultHeaders,
  readEndpoints,
  readEndpointsToRemove,
  TOPIC_BODY_BYTES_MAX,
  topicJson,
} from "../../wire/url-group/url-group.ts";
import { requireNoFilters } from "../../wire/filters/filter-parameters.ts";
import { type Answer, EMPTY, json } from "../http/answer.ts";
import type { AccountCall, Api } from "../http/call.ts";

export async function listTopics({ context }: Api, call: AccountCall): Promise<Answer> {
  requireNoFilters(call.query);
  const found = await topics.listTopics(context, call.access.account.accountId);
  return json(200, found.map(topicJson));
}

export async function showTopic({ context }: Api, call: AccountCall): Promise<Answer> {
  const { access, parameters } = call;
  return json(
    200,
    topicJson(await topics.getTopic(context, access.account.accountId, parameters[0]!)),
  );
}

export async function addEndpoints({ context }: Api, call: AccountCall): Promise<Answer> {
  const { access, parameters } = call;
  const endpoints = readEndpoints(await call.body.read(TOPIC_BODY_BYTES_MAX));
  const topic = await topics.putEndpoints(context, access.account, parameters[0]!, endpoints);
  return json(200, topicJson(topic));
}

export async function deleteEndpoints({ context }: Api, call: AccountCall): Promise<Answer> {
  const { accountId } = call.access.account;
  const endpoints = readEndpointsToRemove(await call.body.read(TOPIC_BODY_BYTES_MAX));
  await topics.removeEndpoints(context, accountId, call.parameters[0]!, endpoints);
  return EMPTY;
}

export async function setDefaultHeaders({ context }: Api, call: AccountCall): Promise<Answer> {
  const { accountId, defaultDialect, limits } = call.access.account;
  const { retriesDefault } = limits;
  const body = await call.body.read(TOPIC_BODY_BYTES_MAX);
  const headers = readDefaultHeaders(body, { defaultDialect, retriesDefault });
  const topic = await topics.setTopicHeaders(context, accountId, call.parameters[0]!, headers);
  return json(200, topicJson(topic));
}

export async function deleteTopic({ context }: Api, call: AccountCall): Promise<Answer> {
  await topics.removeTopic(context, call.access.account.accountId, call.parameters[0]!);
  return EMPTY;
}
