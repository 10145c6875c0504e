import type { Message } from "../../core/model/message/message.ts";
import type { EngineOptions } from "../engine-options.ts";

/**
 * How much of the answer is kept: what others are told of it arrives whole up to the account's size
 * of messages. Undefined where the answer is only shown.
 */
export async function answerBytesMax(
  { account }: Pick<EngineOptions, "account">,
  message: Message,
): Promise<number | undefined> {
  if (!isPassedOn(message)) return undefined;
  return (await account(message.accountId))?.limits.messageBytesMax;
}

/** Whether something follows that carries the answer: a result, a report of failure, a callback. */
function isPassedOn({ kind, run, callback, failureCallback }: Message): boolean {
  if (run !== undefined) return kind !== "failure-call";
  return callback !== undefined || failureCallback !== undefined;
}
