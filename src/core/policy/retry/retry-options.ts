import type { HeaderList, Message } from "../../model/message/message.ts";
import type { PublishOptions } from "../../model/message/publish-options.ts";
import { bothRedactions } from "../../views/redact.ts";

/** The settings of a dead message, with those in `given` in their place. Its delay is over. */
export function retryOptions(message: Message, given: PublishOptions): PublishOptions {
  return {
    // Follow-up messages use the dialect of their message.
    dialect: message.dialect,
    method: given.method ?? message.method,
    headers: replaceHeaders(message.headers, given.headers),
    timeoutMs: given.timeoutMs ?? message.timeoutMs,
    retries: given.retries ?? message.retries,
    retryDelay: given.retryDelay ?? message.retryDelay,
    delayMs: given.delayMs,
    notBefore: given.notBefore,
    callback: given.callback ?? message.callback,
    failureCallback: given.failureCallback ?? message.failureCallback,
    labels: given.labels ?? message.labels,
    redact: bothRedactions(message.redact, given.redact),
    flowControl: given.flowControl ?? message.flowControl,
    hops: message.hops,
  };
}

function replaceHeaders(original: HeaderList, given: HeaderList): HeaderList {
  if (given.length === 0) return original;
  const replaced = new Set(given.map(([name]) => name.toLowerCase()));
  return [...original.filter(([name]) => !replaced.has(name.toLowerCase())), ...given];
}
