import type { NewMessage } from "../../change.ts";
import type { Account, AccountLimits } from "../../model/account/account.ts";
import { encodeFacts } from "../../model/message/settings.ts";
import { linesOf, type UsedLine } from "../../model/line/line.ts";
import type { Callback, Message, Settings } from "../../model/message/message.ts";
import type { Instant } from "../../model/time.ts";
import type {
  CallbackOptions,
  GivenSettings,
  PublishOptions,
} from "../../model/message/publish-options.ts";
import { keyUsed, queueUsed } from "../line/lines.ts";
import { requireWithin } from "../../policy/limits/limits.ts";
import { redactionFor } from "../../views/redact.ts";

/** The input of one message. */
export interface Composition {
  readonly account: Account;
  readonly options: PublishOptions;
  readonly messageId: string;
  /** The destination as the publisher wrote it. */
  readonly url: string;
  readonly body: Uint8Array;
  readonly callerIp: string;
  readonly at: Instant;
  /** Its source, when it does not come directly from a publisher. */
  readonly origin?: Origin | undefined;
}

export type Origin = Partial<
  Pick<Message, "kind" | "queueName" | "urlGroup" | "endpointName" | "scheduleId" | "sourceId">
>;

/** Makes the requested message, or refuses what the account's plan does not allow. */
export function composeMessage(composition: Composition): Message {
  const { account, options, messageId, at, origin } = composition;
  return {
    accountId: account.accountId,
    messageId,
    kind: origin?.kind ?? "publish",
    dialect: options.dialect,
    url: composition.url,
    method: options.method ?? "POST",
    headers: options.headers,
    settings: settingsOf(options.settings, composition.body, account.limits),
    queueName: origin?.queueName,
    urlGroup: origin?.urlGroup,
    endpointName: origin?.endpointName,
    scheduleId: origin?.scheduleId,
    callerIp: composition.callerIp,
    createdAt: at,
    notBefore: notBeforeOf(options, at, account.limits),
    rootId: origin?.queueName === undefined ? undefined : messageId,
    sourceId: origin?.sourceId,
    hops: options.hops,
  };
}

/** The given settings, with the defaults of the account's plan for the others. */
function settingsOf(given: GivenSettings, body: Uint8Array, limits: AccountLimits): Settings {
  const retries = given.retries ?? limits.retriesDefault;
  requireWithin("maxRetries", retries, limits.retriesMax);
  return {
    ...given,
    timeoutMs: timeoutOf(given.timeoutMs, limits),
    retries,
    callback: callbackOf(given.callback, retries, limits),
    failureCallback: callbackOf(given.failureCallback, retries, limits),
    redact: redactionFor(given.redact, body),
  };
}

/** The message as stored: waiting in its line, or already leased to the given node. */
export function newMessage(
  message: Message,
  host: string,
  body: Uint8Array,
  nodeId: string | null,
): NewMessage {
  const { accountId, messageId, createdAt } = message;
  const isLeased = nodeId !== null;
  const { line, lineAfter } = linesOf(message, host);
  return {
    state: {
      accountId,
      messageId,
      phase: isLeased ? "active" : "waiting",
      attempts: 0,
      readyAt: message.notBefore,
      line,
      lineAfter,
      host,
      bytes: (message.ahead?.bytes ?? 0) + body.byteLength,
      fence: isLeased ? FIRST_FENCE : 0,
      nodeId,
      leasedAt: isLeased ? createdAt : null,
      losses: 0,
      cancelRequested: false,
      rootId: message.rootId ?? null,
      queue: null,
      run: message.run ? { runId: message.run.runId, createdAt: message.run.createdAt } : null,
    },
    facts: encodeFacts(message),
    body,
    createdAt,
    sourceId: message.sourceId,
    uses: linesUsed(message),
  };
}

/** The lines whose settings the message creates or changes. */
function linesUsed({ accountId, queueName, settings }: Message): UsedLine[] | undefined {
  const { flowControl } = settings;
  if (queueName === undefined && flowControl === undefined) return undefined;
  const used: UsedLine[] = [];
  if (queueName !== undefined) used.push(queueUsed(accountId, queueName));
  if (flowControl !== undefined) used.push(keyUsed(accountId, flowControl));
  return used;
}

/** The fence of a message that is stored already leased. */
export const FIRST_FENCE = 1;

/** An absolute time overrides a delay; one that has passed means now. */
function notBeforeOf(options: PublishOptions, at: Instant, limits: AccountLimits): Instant {
  const delayMs = options.notBefore === undefined ? (options.delayMs ?? 0) : options.notBefore - at;
  if (delayMs <= 0) return at;
  if (delayMs > limits.delayMsMax) {
    requireWithin("maxDelay", Math.ceil(delayMs / 1_000), limits.delayMsMax / 1_000);
  }
  return at + delayMs;
}

function timeoutOf(askedMs: number | undefined, limits: AccountLimits): number {
  return askedMs === undefined || askedMs === 0
    ? limits.timeoutMsMax
    : Math.min(askedMs, limits.timeoutMsMax);
}

function callbackOf(
  options: CallbackOptions | undefined,
  retriesOfMessage: number,
  limits: AccountLimits,
): Callback | undefined {
  if (options === undefined) return undefined;
  const retries = options.retries ?? retriesOfMessage;
  const delayMs = options.delayMs ?? 0;
  requireWithin("maxRetries", retries, limits.retriesMax);
  requireWithin("maxDelay", Math.ceil(delayMs / 1_000), limits.delayMsMax / 1_000);
  return {
    ...options,
    method: options.method ?? "POST",
    timeoutMs: timeoutOf(options.timeoutMs, limits),
    retries,
    delayMs,
  };
}
