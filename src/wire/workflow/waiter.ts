import type { Waiter } from "../../core/model/workflow/waiter.ts";
import { headerRecord } from "../../core/policy/headers/header-name.ts";
import type { TypeOf } from "../json/schema.ts";
import type { NOTIFIED, WAITER } from "./run-schemas.ts";

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
