import { DELIVERY_DIALECTS } from "../../core/model/message/dialect.ts";
import type { DialectChoice, FlowControl, HeaderList } from "../../core/model/message/message.ts";
import type { CallbackOptions, PublishOptions } from "../../core/model/message/publish-options.ts";
import { checkRetryDelay } from "../../core/policy/retry/retry-delay.ts";
import { deliveryHeaders, type Forwarded, requestHeaders } from "../headers/forwarded-headers.ts";
import {
  type Aliases,
  type BatchDialect,
  type HeaderReading,
  isForwarded,
  readHeaders,
} from "../headers/header-reading.ts";
import { invalidRequest, prefixErrors } from "../headers/header-value.ts";
import type { DeliveryDraft, FlowControlDraft, HeaderCall } from "../headers/header.ts";

export interface PublishDefaults {
  /** How the message is delivered if the request names no dialect; both when absent. */
  readonly defaultDialect?: DialectChoice | undefined;
  /** For an item of a batch: the dialect of the batch. */
  readonly batchDialect?: BatchDialect | undefined;
  /** The kind of request; publish when absent. */
  readonly call?: HeaderCall | undefined;
  /** Retries of a message without a setting, for which its retry-delay expression must hold. */
  readonly retriesDefault?: number | undefined;
  /** The default headers of the URL group. */
  readonly groupHeaders?: HeaderList | undefined;
}

const RETRIES_ASSUMED = 5;

/**
 * Reads a publisher's settings. `rawHeaders` are name, value, name, value, as Node has them;
 * `aliases` come from the query. Both dialects in one request are refused.
 */
export function readPublishOptions(
  rawHeaders: readonly string[],
  aliases: Aliases,
  defaults: PublishDefaults,
): PublishOptions {
  const { call = "publish", groupHeaders = [], batchDialect } = defaults;
  const reading = readHeaders(rawHeaders, aliases, groupHeaders, call, batchDialect);
  return optionsOf(reading, rawHeaders, defaults);
}

/** The options in these headers. */
export function optionsOf(
  reading: HeaderReading,
  rawHeaders: readonly string[],
  defaults: PublishDefaults,
): PublishOptions {
  return assemble(reading, plainHeaders(reading, rawHeaders), defaults);
}

/** Headers that are forwarded although they have no prefix. */
function plainHeaders(
  { draft, content, forwarded }: HeaderReading,
  rawHeaders: readonly string[],
): Forwarded[] {
  const plain = draft.headerForward === true ? requestHeaders(rawHeaders, forwarded.message) : [];
  const isThere = (name: string): boolean =>
    isForwarded(forwarded.message, name) || isForwarded(plain, name);
  return [...plain, ...content.filter(({ name }) => !isThere(name))];
}

function assemble(
  reading: HeaderReading,
  plain: readonly Forwarded[],
  defaults: PublishDefaults,
): PublishOptions {
  const { draft, forwarded, isWorkflow } = reading;
  const choice = reading.dialect?.name ?? defaults.defaultDialect ?? "both";
  const { prefix } = DELIVERY_DIALECTS[choice].dialects[0]!;
  const retries = draft.settings.retries ?? defaults.retriesDefault ?? RETRIES_ASSUMED;
  checkExpression(`${prefix}Retry-Delay`, draft.settings, retries);
  return {
    dialect: choice,
    method: draft.method,
    headers: deliveryHeaders([...plain, ...forwarded.message], isWorkflow),
    settings: {
      ...draft.settings,
      callback: callback(reading, "callback", `${prefix}Callback`, retries),
      failureCallback: callback(reading, "failureCallback", `${prefix}Failure-Callback`, retries),
      flowControl: flowControl(draft, prefix),
    },
    delayMs: draft.delayMs,
    notBefore: draft.notBefore,
    deduplicationId: draft.deduplicationId,
    contentBasedDeduplication: draft.contentBasedDeduplication,
    hops: draft.hops,
  };
}

function callback(
  { draft, forwarded, isWorkflow }: HeaderReading,
  which: "callback" | "failureCallback",
  name: string,
  retries: number,
): CallbackOptions | undefined {
  const { settings, url } = draft[which];
  const headers = deliveryHeaders(forwarded[which], isWorkflow);
  checkExpression(`${name}-Retry-Delay`, settings, settings.retries ?? retries);
  if (url === undefined) return undefined;
  const { settings: _, flowControlKey, flowControlLimits, ...request } = draft[which];
  const keyed = flowControl({ flowControlKey, flowControlLimits }, `${name}-`);
  return { ...request, ...settings, url, headers, flowControl: keyed };
}

function checkExpression(
  name: string,
  { retryDelay }: DeliveryDraft["settings"],
  retries: number,
): void {
  if (retryDelay !== undefined) prefixErrors(name, () => checkRetryDelay(retryDelay, retries));
}

function flowControl(
  { flowControlKey: key, flowControlLimits: limits }: FlowControlDraft,
  prefix: string,
): FlowControl | undefined {
  if (key === undefined && limits === undefined) return undefined;
  if (limits === undefined) {
    throw invalidRequest(`${prefix}Flow-Control-Value: must be given with Flow-Control-Key`);
  }
  if (key === undefined) {
    throw invalidRequest(`${prefix}Flow-Control-Key: must be given with Flow-Control-Value`);
  }
  return { key, ...limits };
}
