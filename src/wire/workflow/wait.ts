import type { HeaderList } from "../../core/model/message/message.ts";
import type { Step } from "../../core/model/workflow/run.ts";
import type { Waiter } from "../../core/model/workflow/waiter.ts";
import { headerRecord } from "../../core/policy/headers/header-name.ts";
import { parseDuration, parseFraction } from "../../core/policy/retry/duration.ts";
import { headerObject, readHeaderObject } from "../headers/header-object.ts";
import { invalidRequest, parseUrl, prefixErrors } from "../headers/header-value.ts";
import { bodyReader } from "../json/schema-reader.ts";
import {
  headers,
  inlineObject,
  integer,
  list,
  object,
  orNull,
  text,
  type TypeOf,
} from "../json/schema.ts";
import { MESSAGE_ID } from "../message/message-schemas.ts";
import { RUN_NAME, WORKFLOW_URL } from "./run-schemas.ts";
import { OPENED_STEP, openedStep } from "./step.ts";

export const WAITING = object("Waiting", { messageId: MESSAGE_ID });

export const WAITER = object(
  "Waiter",
  {
    url: WORKFLOW_URL,
    deadline: integer("When the wait times out. Unix seconds.", 1_767_830_400),
    headers: headers("Headers of the delivery that follows the event."),
  },
  {
    timeoutUrl: text("Where the timeout is delivered."),
    timeoutBody: { description: "What is delivered at the timeout." },
    timeoutHeaders: headers("Headers of the delivery of the timeout."),
  },
);
export const WAITERS = list(WAITER);
export const NOTIFIED = list(
  object("Notified", { waiter: WAITER, messageId: MESSAGE_ID, ...RUN_NAME }),
);

/** What an endpoint sends whose workflow waits for an event. */
export const WAIT_REQUEST = inlineObject(
  { url: WORKFLOW_URL, step: { ...OPENED_STEP, description: "The step that waits." } },
  {
    timeout: {
      description: "How long it waits; a number is seconds. Default: 7 days.",
      examples: ["7d"],
    },
    timeoutUrl: orNull(text("Where the timeout is delivered. Default: `url`.")),
    timeoutHeaders: orNull(headerObject("Headers of the delivery of the timeout.")),
    timeoutBody: { description: "What is delivered at the timeout." },
  },
);
const BODY_BYTES_MAX = 256 * 1024;
const TIMEOUT_MS_DEFAULT = 7 * 86_400_000;
const readRequest = bodyReader(WAIT_REQUEST, BODY_BYTES_MAX);

export interface WaitRequest {
  readonly url: string;
  readonly timeoutMs: number;
  readonly timeoutUrl: string;
  /** Null when they are those of the request. */
  readonly timeoutHeaders: HeaderList | null;
  readonly timeoutBody: unknown;
  readonly step: Step;
}

export function readWaitRequest(body: Uint8Array): WaitRequest {
  const { url, timeout, timeoutUrl, timeoutHeaders, timeoutBody, step } = readRequest(body);
  return {
    url: prefixErrors("url", () => parseUrl(url)),
    timeoutMs: prefixErrors("timeout", () => readTimeout(timeout ?? null)),
    timeoutUrl: prefixErrors("timeoutUrl", () => parseUrl(timeoutUrl ?? url)),
    timeoutHeaders: timeoutHeaders
      ? prefixErrors("timeoutHeaders", () => readHeaderObject(timeoutHeaders))
      : null,
    timeoutBody: timeoutBody ?? undefined,
    step: openedStep(step),
  };
}

/** A duration such as 20s or 7d; fractions of a unit are accepted too. */
function readTimeout(value: unknown): number {
  if (value === null) return TIMEOUT_MS_DEFAULT;
  const given = typeof value === "number" ? `${value}s` : value;
  if (typeof given !== "string")
    throw invalidRequest("is neither a duration nor a number of seconds");
  return parseFraction(given) ?? parseDuration(given);
}

/** A waiter as listed. Its deadline is in unix seconds, unlike any other instant. */
export function waiterJson({ shown, deadlineAt }: Waiter): TypeOf<typeof WAITER> {
  return {
    url: shown.url,
    deadline: Math.floor(deadlineAt / 1_000),
    headers: headerRecord(shown.headers) ?? {},
    timeoutUrl: shown.timeoutUrl,
    timeoutBody: shown.timeoutBody,
    timeoutHeaders: shown.timeoutHeaders && (headerRecord(shown.timeoutHeaders) ?? {}),
  };
}

/** The answer of a notify for one waiter. */
export function notifiedJson(waiter: Waiter, messageId: string): TypeOf<typeof NOTIFIED>[number] {
  return {
    waiter: waiterJson(waiter),
    messageId,
    workflowRunId: waiter.runId,
    workflowCreatedAt: waiter.createdAt,
  };
}
