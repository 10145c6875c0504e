import { readUsage } from "../../operations/account/own-account.ts";
import { rotateCredentials } from "../../operations/account/manage-accounts.ts";
import { addToken, listTokens, revokeToken } from "../../operations/account/tokens.ts";
import { accountJson, BODY_BYTES_MAX, readNothing } from "../../wire/account/account.ts";
import { readGraceMs } from "../../wire/account/account-query.ts";
import { ownAccountJson } from "../../wire/account/own-account.ts";
import { readNewToken, tokenJson } from "../../wire/account/token.ts";
import { type Answer, json } from "../http/answers/answer.ts";
import type { AccountCall, Api } from "../http/server/call.ts";

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
  return json(200, accountJson(account, api.region, secrets));
}

export async function listOwnTokens({ manage }: Api, { access }: AccountCall): Promise<Answer> {
  const tokens = await listTokens(manage, access.account.accountId);
  return json(200, tokens.map(tokenJson));
}

export async function addOwnToken({ manage }: Api, call: AccountCall): Promise<Answer> {
  const wanted = readNewToken(await call.body.read(BODY_BYTES_MAX));
  const { facts, token } = await addToken(manage, call.access.account.accountId, wanted);
  return json(201, { ...tokenJson(facts), token });
}

export async function revokeOwnToken({ manage }: Api, call: AccountCall): Promise<Answer> {
  await revokeToken(manage, call.access.account.accountId, call.parameters[0]!);
  return json(200, {});
}
