import { segment, type Transport } from "../transport.ts";
import type { Notified } from "../answers/waiter.ts";

export interface Notification {
  readonly eventId: string;
  /** Text is sent unchanged, anything else as JSON. */
  readonly eventData?: unknown;
  /** Only this run is notified; if it does not wait yet, once it does. */
  readonly workflowRunId?: string | undefined;
}

/** With `isOnce`, a notification that may have arrived is not sent again. */
export function notify(
  transport: Transport,
  event: Notification,
  isOnce = false,
): Promise<Notified[]> {
  const { eventId, eventData, workflowRunId } = event;
  const names = workflowRunId === undefined ? [eventId] : [workflowRunId, eventId];
  const isText = typeof eventData === "string" || eventData === undefined;
  return transport.json({
    method: "POST",
    path: `/v2/notify/${names.map(segment).join("/")}`,
    headers: { "Content-Type": "text/plain;charset=UTF-8" },
    body: isText ? eventData : JSON.stringify(eventData),
    isOnce,
  });
}
