import type { Message } from "../../model/message/message.ts";
import type { GivenSettings, PublishOptions } from "../../model/message/publish-options.ts";
import { changedSettings } from "../../model/message/settings.ts";
import { replaceHeaders } from "../headers/header-name.ts";
import { bothRedactions } from "../../views/redact.ts";

/** The options of a dead message, with those in `given` in their place. Its delay is over. */
export function retryOptions(message: Message, given: PublishOptions): PublishOptions {
  const { redact } = message.settings;
  return {
    // Follow-up messages use the dialect of their message.
    dialect: message.dialect,
    method: given.method ?? message.method,
    headers: replaceHeaders(message.headers, given.headers),
    settings: {
      ...changedSettings<GivenSettings>(message.settings, given.settings, "onRetry"),
      redact: bothRedactions(redact, given.settings.redact),
    },
    delayMs: given.delayMs,
    notBefore: given.notBefore,
    hops: message.hops,
  };
}
