/** Requests to start runs, and their headers. */
import { type OptionNames, requireKnown } from "../option-names.ts";
import {
  type HeaderRecord,
  type MessageSettings,
  messageHeaders,
  withoutAbsent,
} from "../settings.ts";
import type { HeadersInput } from "../web-types.ts";
import { drawCallId } from "./once.ts";

export interface TriggerSettings extends Pick<
  MessageSettings,
  "retries" | "retryDelay" | "delay" | "notBefore" | "label" | "flowControl" | "redact" | "headers"
> {
  /** Your own id; while a run with this id has not ended, no second one is started. */
  readonly workflowRunId?: string | undefined;
  /** Called when the run has failed, instead of the endpoint's failure function. */
  readonly failureUrl?: string | undefined;
}

export interface Trigger<Payload = unknown> extends TriggerSettings {
  readonly url: string;
  /** The payload: text unchanged, anything else as JSON. */
  readonly body?: Payload | undefined;
}

const TRIGGER: OptionNames<Trigger> = {
  retries: true,
  retryDelay: true,
  delay: true,
  notBefore: true,
  label: true,
  flowControl: true,
  redact: true,
  headers: true,
  workflowRunId: true,
  failureUrl: true,
  url: true,
  body: true,
};

export function triggerHeaders(settings: TriggerSettings, always?: HeadersInput): HeaderRecord {
  const { workflowRunId, failureUrl, ...rest } = settings;
  return withoutAbsent({
    ...messageHeaders({ ...rest, failureCallback: failureUrl }, always),
    "Svc-Workflow-RunId": workflowRunId,
  });
}

export interface TriggerRequest {
  readonly headers: HeaderRecord;
  readonly body: string | undefined;
}

/**
 * With ids that are drawn for the call. The service finds a repeated trigger by both: it starts
 * nothing, even if the run has ended by then.
 */
export function onceTriggered({ headers, body }: TriggerRequest): TriggerRequest {
  const drawn = {
    "Svc-Workflow-RunId": `wfr_${drawCallId()}`,
    "Svc-Deduplication-Id": drawCallId(),
  };
  return { headers: { ...drawn, ...headers }, body };
}

/** Headers and body of a trigger; JSON gets its Content-Type. */
export function triggerRequest(trigger: Trigger, always?: HeadersInput): TriggerRequest {
  requireKnown("a trigger", trigger, TRIGGER);
  const { body } = trigger;
  const isText = typeof body === "string" || body === undefined;
  const headers = triggerHeaders(trigger, always);
  return {
    headers: isText ? headers : { "Content-Type": "application/json", ...headers },
    body: isText ? body : JSON.stringify(body),
  };
}
