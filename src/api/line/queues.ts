import * as queues from "../../operations/line/queues.ts";
import { QUEUE_BODY_BYTES_MAX, readQueueRequest } from "../../wire/line/queue.ts";
import { requireNoFilters } from "../../wire/filters/filter-parameters.ts";
import { type Answer, EMPTY, json } from "../http/answers/answer.ts";
import type { AccountCall, Api } from "../http/server/call.ts";

export async function putQueue({ context }: Api, call: AccountCall): Promise<Answer> {
  const request = readQueueRequest(await call.body.read(QUEUE_BODY_BYTES_MAX));
  await queues.putQueue(context, call.access.account, request);
  return EMPTY;
}

export async function listQueues({ context }: Api, call: AccountCall): Promise<Answer> {
  requireNoFilters(call.query);
  const found = await queues.listQueues(context, call.access.account.accountId);
  return json(200, found);
}

export async function showQueue({ context }: Api, call: AccountCall): Promise<Answer> {
  const { accountId } = call.access.account;
  return json(200, await queues.getQueue(context, accountId, call.parameters[0]!));
}

export async function deleteQueue({ context }: Api, call: AccountCall): Promise<Answer> {
  await queues.removeQueue(context, call.access.account.accountId, call.parameters[0]!);
  return EMPTY;
}

export async function pauseQueue({ context }: Api, call: AccountCall): Promise<Answer> {
  return setPaused(context, call, true);
}

export async function resumeQueue({ context }: Api, call: AccountCall): Promise<Answer> {
  return setPaused(context, call, false);
}

async function setPaused(
  context: Api["context"],
  { access, parameters }: AccountCall,
  paused: boolean,
): Promise<Answer> {
  await queues.pauseQueue(context, access.account.accountId, parameters[0]!, paused);
  return EMPTY;
}
