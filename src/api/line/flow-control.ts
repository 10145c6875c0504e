import * as flowControl from "../../operations/line/flow-control.ts";
import {
  parseFlowControlKey,
  readPin,
  readSearch,
  readUnpin,
} from "../../wire/line/flow-control-key.ts";
import { type Answer, EMPTY, json } from "../http/answers/answer.ts";
import type { AccountCall, AccountHandler, Api } from "../http/server/call.ts";

export async function listFlowControlKeys({ context }: Api, call: AccountCall): Promise<Answer> {
  const search = readSearch(call.query);
  const { accountId } = call.access.account;
  const found = await flowControl.listFlowControlKeys(context, accountId, search);
  return json(200, found);
}

export async function showFlowControlKey({ context }: Api, call: AccountCall): Promise<Answer> {
  return json(200, await flowControl.getFlowControlKey(context, keyOf(call)));
}

export async function showGlobalParallelism({ context }: Api, call: AccountCall): Promise<Answer> {
  const { account } = call.access;
  const parallelismCount = await context.store.reader.messages.underWay(account.accountId);
  return json(200, { parallelismMax: account.limits.parallelismMax ?? 0, parallelismCount });
}

export const pauseFlowControlKey = verb(flowControl.pause);
export const resumeFlowControlKey = verb(flowControl.resume);
export const resetFlowControlKey = verb(flowControl.resetRate);

export async function pinFlowControlKey({ context }: Api, call: AccountCall): Promise<Answer> {
  await flowControl.pin(context, keyOf(call), readPin(call.query));
  return EMPTY;
}

export async function unpinFlowControlKey({ context }: Api, call: AccountCall): Promise<Answer> {
  await flowControl.unpin(context, keyOf(call), readUnpin(call.query));
  return EMPTY;
}

function verb(
  work: (context: Api["context"], key: flowControl.FlowControlKey) => Promise<void>,
): AccountHandler {
  return async ({ context }, call) => {
    await work(context, keyOf(call));
    return EMPTY;
  };
}

function keyOf({ access, parameters }: AccountCall): flowControl.FlowControlKey {
  return { accountId: access.account.accountId, key: parseFlowControlKey(parameters[0]!) };
}
