/** Requests to start runs, and their headers. */
import {
  type HeaderRecord,
  type MessageSettings,
  messageHeaders,
  withoutAbsent,
} from "../settings.ts";
import type { HeadersInput } from "../web-types.ts";

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

export function triggerHeaders(settings: TriggerSettings, always?: HeadersInput): HeaderRecord {
  const { workflowRunId, failureUrl, ...rest } = settings;
  return withoutAbsent({
    ...messageHeaders({ ...rest, failureCallback: failureUrl }, always),
    "Svc-Workflow-RunId": workflowRunId,
  });
}

/** Headers and body of a trigger; JSON gets its Content-Type. */
export function triggerRequest(
  trigger: Trigger,
  always?: HeadersInput,
): { headers: HeaderRecord; body: string | undefined } {
  const { body } = trigger;
  const isText = typeof body === "string" || body === undefined;
  const headers = triggerHeaders(trigger, always);
  return {
    headers: isText ? headers : { "Content-Type": "application/json", ...headers },
    body: isText ? body : JSON.stringify(body),
  };
}
