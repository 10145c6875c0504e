import { isLarge, partsInMemory } from "../../operations/message/body-parts.ts";
import * as deadRuns from "../../operations/workflow/dead-runs.ts";
import { deadRunJson } from "../../wire/workflow/dead-run.ts";
import { readDeadRunBulk, readDeadRunQuery } from "../../wire/workflow/dead-run-query.ts";
import { type Answer, counted, EMPTY, json, jsonAndBody } from "../http/answers/answer.ts";
import type { AccountCall, Api } from "../http/server/call.ts";

export async function listDeadRuns({ context }: Api, call: AccountCall): Promise<Answer> {
  const { accountId } = call.access.account;
  const query = readDeadRunQuery(call.query);
  const { items, cursor } = await deadRuns.listDeadRuns(context, accountId, query);
  return json(200, { cursor, messages: items.map(deadRunJson) });
}

export async function showDeadRun({ context }: Api, call: AccountCall): Promise<Answer> {
  const { accountId, limits } = call.access.account;
  await context.reserve?.(limits.messageBytesMax);
  const dead = await deadRuns.getDeadRun(context, accountId, call.parameters[0]!);
  const { state, payload } = dead;
  if (!isLarge(payload, state.run.settings)) return json(200, deadRunJson(dead));
  return jsonAndBody(deadRunJson({ ...dead, payload: NO_BYTES }), () => partsInMemory(payload));
}

export async function deleteDeadRun({ context }: Api, call: AccountCall): Promise<Answer> {
  await deadRuns.removeDeadRun(context, call.access.account.accountId, call.parameters[0]!);
  return EMPTY;
}

export async function deleteDeadRuns({ context }: Api, call: AccountCall): Promise<Answer> {
  const query = readDeadRunBulk(call.query, await call.body.read(BODY_BYTES_MAX));
  const { accountId } = call.access.account;
  if (query.isDryRun) return counted(await deadRuns.countDeadRuns(context, accountId, query));
  const { deleted, cursor } = await deadRuns.removeDeadRuns(context, accountId, query);
  return json(200, { cursor: cursor ?? "", deleted });
}

export const BODY_BYTES_MAX = 256 * 1024;
const NO_BYTES = new Uint8Array(0);
