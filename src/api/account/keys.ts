import type { SigningKeys } from "../../core/model/account/account.ts";
import { type Answer, json } from "../http/answers/answer.ts";
import type { AccountCall, Api } from "../http/server/call.ts";

export async function showKeys({ accounts }: Api, { access }: AccountCall): Promise<Answer> {
  return keysAnswer(await accounts.signingKeys(access.account.accountId));
}

export async function rotateKeys({ accounts }: Api, { access }: AccountCall): Promise<Answer> {
  return keysAnswer(await accounts.rotateSigningKeys(access.account.accountId));
}

function keysAnswer({ current, next }: SigningKeys): Answer {
  return json(200, { current, next });
}
