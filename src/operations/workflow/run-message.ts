import type { Account } from "../../core/model/account/account.ts";
import type { Message } from "../../core/model/message/message.ts";
import type { Instant } from "../../core/model/time.ts";
import type { PublishOptions } from "../../core/model/message/publish-options.ts";
import { composeMessage } from "../../core/rules/message/compose-message.ts";
import { requireDestination } from "../../core/rules/message/compose.ts";
import type { Context } from "../context.ts";
import { requireCallbacks } from "../message/destinations.ts";

export const RUN_RETRIES_DEFAULT = 3;

/** The input of a message of a run, before the settings of the run. */
export interface RunMessageRequest {
  readonly account: Account;
  readonly url: string;
  /** Where the request has it, if not as a destination in its path. */
  readonly urlField?: string;
  readonly options: PublishOptions;
  /** The submitted bytes; a step sends entries of the run instead. */
  readonly body: Uint8Array;
  readonly callerIp: string;
  readonly at: Instant;
  readonly retriesDefault?: number | undefined;
}

/** The requested message, refused when it may not be sent. */
export function requestedMessage(context: Context, request: RunMessageRequest): Message {
  const { account, url, body, callerIp, at } = request;
  const { settings } = request.options;
  const { callback } = settings;
  const options = {
    ...request.options,
    settings: {
      ...settings,
      retries: settings.retries ?? request.retriesDefault ?? RUN_RETRIES_DEFAULT,
      // The result of a call without retries is still delivered with retries.
      callback: callback && { retries: RUN_RETRIES_DEFAULT, ...callback },
    },
  };
  requireDestination(url, context.readDestination, request.urlField);
  requireCallbacks(context, options);
  const messageId = context.ids.sortable("msg_", at);
  const composition = { account, options, messageId, url, body, callerIp, at };
  return composeMessage({ ...composition, origin: { kind: "step" } });
}
