/** The settings of a message, as options and as the headers of the service. */
import { type Duration, durationText } from "./duration.ts";
import { VERSION } from "./version.ts";
import { type OptionNames, requireKnown } from "./option-names.ts";
import type { HeadersInput } from "./web-types.ts";

/** A date, or unix seconds. */
export type Instant = Date | number;

export interface FlowControl {
  readonly key: string;
  readonly parallelism?: number | undefined;
  readonly rate?: number | undefined;
  readonly period?: Duration | undefined;
}

export interface Redact {
  readonly body?: boolean | undefined;
  /** True for all of them, or their names. */
  readonly headers?: boolean | readonly string[] | undefined;
}

export interface CallbackSettings {
  readonly url: string;
  readonly headers?: HeadersInput | undefined;
  readonly method?: Method | undefined;
  readonly retries?: number | undefined;
  readonly retryDelay?: string | undefined;
  readonly timeout?: Duration | undefined;
  readonly delay?: Duration | undefined;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface RetrySettings {
  /** How often a failed delivery is tried again. */
  readonly retries?: number | undefined;
  /** Milliseconds before each retry, as an expression of `retried`, such as `1000 * pow(2, retried)`. */
  readonly retryDelay?: string | undefined;
}

export interface MessageSettings extends RetrySettings {
  readonly method?: Method | undefined;
  /** Sent to the destination. */
  readonly headers?: HeadersInput | undefined;
  readonly timeout?: Duration | undefined;
  readonly delay?: Duration | undefined;
  readonly notBefore?: Instant | undefined;
  readonly callback?: string | CallbackSettings | undefined;
  readonly failureCallback?: string | CallbackSettings | undefined;
  readonly deduplicationId?: string | undefined;
  readonly contentBasedDeduplication?: boolean | undefined;
  readonly label?: string | readonly string[] | undefined;
  readonly flowControl?: FlowControl | undefined;
  readonly redact?: Redact | undefined;
}

export const MESSAGE_SETTINGS: OptionNames<MessageSettings> = {
  retries: true,
  retryDelay: true,
  method: true,
  headers: true,
  timeout: true,
  delay: true,
  notBefore: true,
  callback: true,
  failureCallback: true,
  deduplicationId: true,
  contentBasedDeduplication: true,
  label: true,
  flowControl: true,
  redact: true,
};

export type HeaderRecord = Record<string, string>;

/** The headers of these settings; headers for every message come after the message's own. */
export function settingHeaders(settings: MessageSettings, always?: HeadersInput): HeaderRecord {
  const { callback, failureCallback, label, redact, flowControl } = settings;
  return withoutAbsent({
    ...forwardHeaders("Svc-Forward-", always),
    ...forwardHeaders("Svc-Forward-", settings.headers),
    "Svc-Method": settings.method,
    "Svc-Timeout": durationText(settings.timeout),
    "Svc-Delay": durationText(settings.delay),
    "Svc-Not-Before": instantText(settings.notBefore),
    "Svc-Deduplication-Id": settings.deduplicationId,
    "Svc-Content-Based-Deduplication": settings.contentBasedDeduplication?.toString(),
    "Svc-Label": label === undefined || typeof label === "string" ? label : label.join(","),
    "Svc-Redact-Fields": redact === undefined ? undefined : redactText(redact),
    ...retryHeaders(settings),
    ...flowControlHeaders(flowControl),
    ...callbackHeaders("Svc-Callback", callback),
    ...callbackHeaders("Svc-Failure-Callback", failureCallback),
  });
}

/**
 * The headers of a new message. A message without any header of ours would be delivered with those
 * of the public service too, so one without settings names its method.
 */
export function messageHeaders(
  settings: MessageSettings & { readonly urlGroup?: string | undefined },
  always?: HeadersInput,
): HeaderRecord {
  const headers = settingHeaders(settings, always);
  if (Object.keys(headers).some((name) => name.startsWith("Svc-"))) return headers;
  // A URL group may have a method of its own, which a method given here would replace.
  const isToGroup = settings.urlGroup !== undefined;
  return { ...headers, ...(isToGroup ? { "Svc-Telemetry-Sdk": SDK } : { "Svc-Method": "POST" }) };
}

const SDK = `postrider@${VERSION}`;

export function retryHeaders({ retries, retryDelay }: RetrySettings): HeaderRecord {
  return withoutAbsent({ "Svc-Retries": retries?.toString(), "Svc-Retry-Delay": retryDelay });
}

export function flowControlHeaders(flowControl: FlowControl | undefined): HeaderRecord {
  if (flowControl === undefined) return {};
  requireKnown("flowControl", flowControl, FLOW_CONTROL);
  const { key, parallelism, rate, period } = flowControl;
  const limits = { parallelism, rate, period: durationText(period) };
  const value = Object.entries(limits)
    .filter(([, limit]) => limit !== undefined)
    .map(([name, limit]) => `${name}=${limit}`);
  return { "Svc-Flow-Control-Key": key, "Svc-Flow-Control-Value": value.join(", ") };
}

/** Headers for a destination. Content-Type takes no prefix and is sent unchanged. */
export function forwardHeaders(prefix: string, headers: HeadersInput = {}): HeaderRecord {
  const forwarded: HeaderRecord = {};
  for (const [name, value] of new Headers(headers)) {
    if (name === "content-type" && prefix === "Svc-Forward-") forwarded["Content-Type"] = value;
    else forwarded[`${prefix}${name}`] = value;
  }
  return forwarded;
}

/** Unix seconds, never before the instant. */
export function instantText(instant: Instant | undefined): string | undefined {
  if (instant === undefined) return undefined;
  const seconds = instant instanceof Date ? instant.getTime() / 1_000 : instant;
  return String(Math.ceil(seconds));
}

/** A URL as a header can hold it: what is not ASCII is percent-encoded. */
export function headerUrl(url: string): string {
  return url.replace(/[^\x20-\x7e]+/g, encodeURIComponent);
}

function callbackHeaders(
  name: "Svc-Callback" | "Svc-Failure-Callback",
  callback: string | CallbackSettings | undefined,
): HeaderRecord {
  if (callback === undefined) return {};
  if (typeof callback === "string") return { [name]: headerUrl(callback) };

  requireKnown("a callback", callback, CALLBACK);
  return withoutAbsent({
    [name]: headerUrl(callback.url),
    ...forwardHeaders(`${name}-Forward-`, callback.headers),
    [`${name}-Method`]: callback.method,
    [`${name}-Retries`]: callback.retries?.toString(),
    [`${name}-Retry-Delay`]: callback.retryDelay,
    [`${name}-Timeout`]: durationText(callback.timeout),
    [`${name}-Delay`]: durationText(callback.delay),
  });
}

function redactText(redact: Redact): string | undefined {
  requireKnown("redact", redact, REDACT);
  const { body, headers } = redact;
  const fields = [
    ...(body === true ? ["body"] : []),
    ...(headers === true ? ["headers"] : []),
    ...(Array.isArray(headers) ? headers.map((name: string) => `header[${name}]`) : []),
  ];
  return fields.length === 0 ? undefined : fields.join(",");
}

export function withoutAbsent(headers: Readonly<Record<string, string | undefined>>): HeaderRecord {
  const present: HeaderRecord = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) present[name] = value;
  return present;
}

const FLOW_CONTROL: OptionNames<FlowControl> = {
  key: true,
  parallelism: true,
  rate: true,
  period: true,
};
const REDACT: OptionNames<Redact> = { body: true, headers: true };
const CALLBACK: OptionNames<CallbackSettings> = {
  url: true,
  headers: true,
  method: true,
  retries: true,
  retryDelay: true,
  timeout: true,
  delay: true,
};
