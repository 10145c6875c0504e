import type {
  CallbackOptions,
  GivenSettings,
  PublishOptions,
} from "../../core/model/message/publish-options.ts";
import { SETTINGS } from "../../core/model/message/settings.ts";
import { readCron } from "../../core/policy/cron/cron.ts";
import { parseDuration, parseFraction } from "../../core/policy/retry/duration.ts";
import { parseRedaction } from "../../core/views/redact.ts";
import { checkRetryDelay } from "../../core/policy/retry/retry-delay.ts";
import { HTTP_METHODS } from "../../core/model/message/message.ts";
import { choice, flag, type Schema, text, integer } from "../json/schema.ts";
import { type FlowControlLimits, parseFlowControl } from "../line/flow-control-key.ts";
import {
  invalidRequest,
  parseBoolean,
  parseDeduplicationId,
  parseId,
  parseInteger,
  parseLabels,
  parseMethod,
  parsePathName,
  parseUnixSeconds,
  parseUrl,
} from "./header-value.ts";

/** The requests that read configuration headers. A step is what an endpoint submits to its run. */
export type HeaderCall = "publish" | "enqueue" | "schedule" | "retry" | "trigger" | "step";

/** One header that a publisher may send, in either dialect. */
export interface HeaderRow {
  /** What follows the prefix. */
  readonly name: string;
  readonly calls: readonly HeaderCall[];
  readonly read: (draft: PublishDraft, given: string, call: HeaderCall) => void;
  /** The sentence that documents it. */
  readonly says: string;
  /** Its value; a text if absent. */
  readonly value?: Schema;
  readonly isRequired?: boolean;
  /** Its value is a URL, and so UTF-8. */
  readonly isUrl?: boolean;
}

/** What is collected while headers are read. */
export interface PublishDraft extends DeliveryDraft, Mutable<OwnOptions> {
  readonly callback: DeliveryDraft;
  readonly failureCallback: DeliveryDraft;
  headerForward?: boolean;
  cron?: string;
  scheduleId?: string;
  queueName?: string;
}

type RequestDraft = Mutable<Partial<Pick<CallbackOptions, "url" | "method" | "delayMs">>>;

export interface DeliveryDraft extends FlowControlDraft, RequestDraft {
  readonly settings: Mutable<Omit<GivenSettings, "callback" | "failureCallback">>;
}

export interface FlowControlDraft {
  flowControlKey?: string | undefined;
  flowControlLimits?: FlowControlLimits | undefined;
}

type OwnOptions = Pick<
  PublishOptions,
  "notBefore" | "deduplicationId" | "contentBasedDeduplication" | "hops"
>;
type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

const HOPS_MAX = 8;
const EVERY_CALL = ["publish", "enqueue", "schedule", "retry", "trigger", "step"] as const;
/** Messages of a schedule are never duplicates. */
const UNSCHEDULED_CALLS = EVERY_CALL.filter((call) => call !== "schedule");

const DELIVERY_ROWS: readonly (Pick<HeaderRow, "name" | "says" | "value"> & {
  readonly read: (draft: DeliveryDraft, given: string, call: HeaderCall) => void;
})[] = [
  {
    name: "Method",
    read: (draft, given) => (draft.method = parseMethod(given)),
    says: "HTTP method of the delivery: GET, POST, PUT, PATCH or DELETE. Default: POST.",
    value: choice(HTTP_METHODS),
  },
  {
    name: SETTINGS.timeoutMs.headers[0],
    read: (draft, given) => (draft.settings.timeoutMs = parseDuration(given)),
    says: "Longest time of one attempt, such as `30s` or `1h30m`; a number alone is seconds. It can only shorten the timeout of the plan.",
    value: text(undefined, "30s"),
  },
  {
    name: SETTINGS.retries.headers[0],
    read: (draft, given) => (draft.settings.retries = parseInteger(given)),
    says: "Retries after the first attempt. Default: `default_retries` of the plan.",
    value: integer(undefined, 3),
  },
  {
    name: SETTINGS.retryDelay.headers[0],
    read: (draft, given) => {
      checkRetryDelay(given, 1);
      draft.settings.retryDelay = given;
    },
    says: "Milliseconds before each retry, as an expression with the variable `retried`: `1000 * pow(2, retried)`.",
    value: text(undefined, "1000 * pow(2, retried)"),
  },
  {
    name: "Delay",
    read: (draft, given, call) => (draft.delayMs = parseDelay(given, call)),
    says: "Wait before the first attempt, such as `10s` or `1d12h`.",
    value: text(undefined, "10s"),
  },
];

const FLOW_CONTROL_ROWS: typeof DELIVERY_ROWS = [
  {
    name: SETTINGS.flowControl.headers[0],
    read: (draft, given) => (draft.flowControlKey = parsePathName(given)),
    says: "Messages with the same key share its limits. Needs `Flow-Control-Value`.",
  },
  {
    name: SETTINGS.flowControl.headers[1],
    read: (draft, given) => (draft.flowControlLimits = parseFlowControl(given)),
    says: "The limits of the key: `parallelism=5, rate=100, period=1m`.",
    value: text(undefined, "parallelism=5, rate=100, period=1m"),
  },
];

/** How often a message came through us; of several values the greatest counts. */
export const HOP_ROW: HeaderRow = {
  name: "Hop",
  calls: EVERY_CALL,
  read: (draft, given) => {
    const hops = parseInteger(given);
    if (hops > HOPS_MAX) throw invalidRequest(`the message has come through us ${HOPS_MAX} times`);
    draft.hops = Math.max(hops, draft.hops ?? 0);
  },
  says: "How often the message came through Postrider. Postrider sends it itself, to stop loops.",
  value: integer(),
};

/** Every configuration header with a fixed name. Those with open names are HEADER_FAMILIES. */
export const HEADERS: readonly HeaderRow[] = [
  ...DELIVERY_ROWS.map((row) => ({
    ...row,
    calls: row.name === "Delay" ? EVERY_CALL.filter((call) => call !== "enqueue") : EVERY_CALL,
  })),
  {
    name: "Not-Before",
    calls: ["publish", "retry", "trigger", "step"],
    read: (draft, given) => (draft.notBefore = parseUnixSeconds(given)),
    says: "Unix seconds before which nothing is sent. It wins over `Delay`.",
    value: integer(undefined, 1_767_225_600),
  },
  ...callbackRows(SETTINGS.callback.headers[0], (draft) => draft.callback, "after every attempt"),
  ...callbackRows(
    SETTINGS.failureCallback.headers[0],
    (draft) => draft.failureCallback,
    "after the last failure",
  ),
  {
    name: SETTINGS.labels.headers[0],
    calls: EVERY_CALL,
    read: (draft, given) => (draft.settings.labels = parseLabels(given)),
    says: "Labels to find the message by, separated by commas.",
  },
  {
    name: SETTINGS.redact.headers[0],
    calls: EVERY_CALL,
    read: (draft, given) => (draft.settings.redact = parseRedaction(given)),
    says: "Hides fields from readers: `body`, `headers`, `header[Name]`, separated by commas.",
  },
  {
    name: "Deduplication-Id",
    calls: UNSCHEDULED_CALLS,
    read: (draft, given) => (draft.deduplicationId = parseDeduplicationId(given)),
    says: "A second message with the same id within ten minutes is accepted but not sent.",
  },
  {
    name: "Content-Based-Deduplication",
    calls: UNSCHEDULED_CALLS,
    read: (draft, given) => (draft.contentBasedDeduplication = parseBoolean(given)),
    says: "With `true`, a second message with equal content within ten minutes is accepted but not sent.",
    value: flag(),
  },
  ...FLOW_CONTROL_ROWS.map((row) => ({ ...row, calls: EVERY_CALL })),
  {
    name: "Header-Forward",
    calls: EVERY_CALL,
    read: (draft, given) => (draft.headerForward = parseBoolean(given)),
    says: "With `true`, all headers of your request are forwarded, not only those with `Forward-`.",
    value: flag(),
  },
  {
    name: "Cron",
    calls: ["schedule"],
    read: (draft, given) => {
      readCron(given);
      draft.cron = given;
    },
    says: "When the schedule fires: five fields in UTC, or `CRON_TZ=Europe/Berlin` before them.",
    value: text(undefined, "CRON_TZ=Europe/Berlin 0 9 * * 1-5"),
    isRequired: true,
  },
  {
    name: "Schedule-Id",
    calls: ["schedule"],
    read: (draft, given) => (draft.scheduleId = parseId(given)),
    says: "The id of the schedule. An existing one is replaced. Generated if absent.",
  },
  {
    name: "Queue-Name",
    calls: ["schedule"],
    read: (draft, given) => (draft.queueName = parseId(given)),
    says: "The queue that the schedule publishes through.",
  },
  HOP_ROW,
];

/** Headers whose names the publisher completes, and where they are forwarded. */
export const HEADER_FAMILIES = [
  {
    name: "Forward-*",
    prefix: "forward-",
    to: "message",
    says: "Sent to the destination without the prefix: `Svc-Forward-X-Tenant: 7` arrives as `X-Tenant: 7`.",
  },
  {
    name: "Callback-Forward-*",
    prefix: "callback-forward-",
    to: "callback",
    says: "Sent to the callback URL without the prefix.",
  },
  {
    name: "Failure-Callback-Forward-*",
    prefix: "failure-callback-forward-",
    to: "failureCallback",
    says: "Sent to the failure callback URL without the prefix.",
  },
] as const;

export const headerRowByName: ReadonlyMap<string, HeaderRow> = new Map(
  HEADERS.map((row) => [row.name.toLowerCase(), row]),
);

/** A sleep may last a fraction of a second, unlike any other delay. */
function parseDelay(given: string, call: HeaderCall): number {
  const fractionMs = call === "step" ? parseFraction(given) : null;
  return fractionMs ?? parseDuration(given);
}

function callbackRows(
  name: string,
  draftOf: (draft: PublishDraft) => DeliveryDraft,
  when: string,
): HeaderRow[] {
  return [
    {
      name,
      calls: EVERY_CALL,
      read: (draft, given) => (draftOf(draft).url = parseUrl(given)),
      says: `URL that is called ${when}.`,
      value: text(undefined, "https://example.com/report"),
      isUrl: true,
    },
    ...[...DELIVERY_ROWS, ...FLOW_CONTROL_ROWS].map((row) => ({
      ...row,
      name: `${name}-${row.name}`,
      calls: EVERY_CALL,
      read: (draft: PublishDraft, given: string, call: HeaderCall) =>
        row.read(draftOf(draft), given, call),
      says: `Of the call made ${when}: ${row.says}`,
    })),
  ];
}
