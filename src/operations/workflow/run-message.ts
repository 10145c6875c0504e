import type { Account } from "../../core/model/account/account.ts";
import type { Instant, Message } from "../../core/model/message/message.ts";
import type { PublishOptions } from "../../core/model/message/publish-options.ts";
import { composeMessage } from "../../core/rules/message/compose-message.ts";
import type { Context } from "../context.ts";
import { requireCallbacks, requireDestination } from "../message/destinations.ts";

/** Retries of a run that does not say. */
export const RUN_RETRIES_DEFAULT = 3;

/** What a message of a run is made from, before the settings of the run. */
export interface RunMessageRequest {
  readonly account: Account;
  readonly url: string;
  readonly options: PublishOptions;
  /** What was submitted; of a step it is an entry of the run, and not what is sent. */
  readonly body: Uint8Array;
  readonly callerIp: string;
  readonly at: Instant;
  readonly retriesDefault?: number | undefined;
}

/** The message that was asked for, once it is known that we may send it. */
export function requestedMessage(context: Context, request: RunMessageRequest): Message {
  const { account, url, body, callerIp, at } = request;
  const retries = request.options.retries ?? request.retriesDefault ?? RUN_RETRIES_DEFAULT;
  const { callback } = request.options;
  // A call that is not retried still has its result brought home.
  const options = {
    ...request.options,
    retries,
    callback: callback && { retries: RUN_RETRIES_DEFAULT, ...callback },
  };
  requireDestination(context, url);
  requireCallbacks(context, options);
  const messageId = context.ids.sortable("msg_", at);
  const composition = { account, options, messageId, url, body, callerIp, at };
  return composeMessage({ ...composition, origin: { kind: "step" } });
}
