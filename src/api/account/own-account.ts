import { readUsage } from "../../operations/account/own-account.ts";
import { rotateCredentials } from "../../operations/account/manage-accounts.ts";
import { accountJson, BODY_BYTES_MAX, readNothing } from "../../wire/account/account.ts";
import { readGraceMs } from "../../wire/account/account-query.ts";
import { ownAccountJson } from "../../wire/account/own-account.ts";
import { type Answer, json } from "../http/answer.ts";
import type { AccountCall, Api } from "../http/call.ts";

export async function showOwnAccount(
  { context, region }: Api,
  { access }: AccountCall,
): Promise<Answer> {
  const usage = await readUsage(context, access.account);
  return json(200, ownAccountJson({ ...access, usage }, region));
}

export async function rotateOwnToken(api: Api, call: AccountCall): Promise<Answer> {
  const graceMs = readGraceMs(call.query);
  readNothing(await call.body.read(BODY_BYTES_MAX));
  const { accountId } = call.access.account;
  const { account, secrets } = await rotateCredentials(api.manage, accountId, graceMs);
  const answer = json(200, accountJson(account, api.region, secrets));
  return { ...answer, headers: ["Cache-Control", "no-store"] };
}
