import type { Message } from "../../core/model/message/message.ts";
import type { EngineOptions } from "../engine-options.ts";

/** Complete up to the account's message size for what is passed on; else undefined. */
export function answerBytesMax(
  { account }: Pick<EngineOptions, "account">,
  message: Message,
): undefined | Promise<number | undefined> {
  return isPassedOn(message) ? messageBytesMax(account, message.accountId) : undefined;
}

async function messageBytesMax(
  account: EngineOptions["account"],
  accountId: string,
): Promise<number | undefined> {
  return (await account(accountId))?.limits.messageBytesMax;
}

/** Whether a follow-up carries the response: a result, a failure report or a callback. */
function isPassedOn({ kind, run, settings }: Message): boolean {
  if (run !== undefined) return kind !== "failure-call";
  return settings.callback !== undefined || settings.failureCallback !== undefined;
}
