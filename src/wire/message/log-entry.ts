import type { LoggedEntry } from "../../core/model/message/log-entry.ts";
import type { Message } from "../../core/model/message/message.ts";
import { headerRecord } from "../../core/policy/headers/header-name.ts";
import { visible } from "../../core/views/redact.ts";
import { shownBase64 } from "./body.ts";
import type { TypeOf } from "../json/schema.ts";
import type { LOG_ENTRY } from "./message-schemas.ts";
import { answerHeaders, cutMark, requestJson } from "./message.ts";

/**
 * A log entry as the API shows it. It repeats the message's settings, and some fields twice under
 * the two names that clients read.
 */
export function logEntryJson(logged: LoggedEntry): TypeOf<typeof LOG_ENTRY> {
  const { entry, message, body } = logged;
  const shown = visible(message, body);
  const request = requestJson(message);
  return {
    time: entry.at,
    state: entry.state,
    error: entry.error,
    nextDeliveryTime: entry.nextAt,
    ...request,
    retryDelayExpr: request.retryDelayExpression,
    header: headerRecord(shown.headers),
    body: shownBase64(shown.body),
    timeout: message.settings.timeoutMs,
    callbackHeaders: headerRecord(shown.callbackHeaders),
    failureCallbackHeaders: headerRecord(shown.failureCallbackHeaders),
    callerIp: message.callerIp,
    ...responseJson(logged),
  };
}

function responseJson({ entry, message, attempt }: LoggedEntry) {
  // An entry without the response may still hold its status.
  if (attempt === null) return { responseStatus: entry.status === 0 ? undefined : entry.status };
  const made = {
    attempt: attempt.number,
    attemptStartedAt: attempt.startedAt,
    attemptDurationMs: Math.max(0, attempt.endedAt - attempt.startedAt),
    nodeId: attempt.nodeId,
  };
  if (attempt.status === 0) return made;
  const responseHeaders = answerHeaders(attempt);
  return {
    ...made,
    responseStatus: attempt.status,
    responseHeader: responseHeaders,
    responseHeaders,
    responseBody: shownBase64(shownAnswer(message, attempt.body)),
    responseBodyTruncated: cutMark(attempt),
  };
}

/** The response to a workflow's call is the result of a step, and redacted like one. */
function shownAnswer({ kind, settings }: Message, body: Uint8Array): Uint8Array | string {
  const { redact } = settings;
  if (kind !== "call" || redact?.body !== true) return body;
  return visible({ headers: [], settings: { redact: { ...redact, bodyHash: undefined } } }, body)
    .body;
}
