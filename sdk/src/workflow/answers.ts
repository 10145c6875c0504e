import { ForeignSignatureError, SignatureError } from "../errors.ts";
import { durationText } from "../duration.ts";
import { VERSION } from "../version.ts";
import { describeError } from "./error-text.ts";
import { NonRetryableError, RetryAfterError } from "./errors.ts";
import type { Answer } from "./incoming.ts";
import { encodeName, HEADERS } from "./protocol.ts";
import type { Reply } from "./reply.ts";
import { PROTOCOL_VERSION } from "./submission.ts";

/** Responses of a workflow endpoint; the service reads their status and headers. */

export type FinishCondition =
  | "success"
  | "duplicate-step"
  | "fromCallback"
  | "workflow-already-ended";

export function done(workflowRunId: string, finishCondition: FinishCondition): Answer {
  return answer(200, { workflowRunId, finishCondition });
}

/** A response that contains what would otherwise be submitted. */
export function reply(said: Reply): Answer {
  return answer(200, said, { [HEADERS.reply]: PROTOCOL_VERSION });
}

/** The function returned before its first step, which refuses the request. */
export function refused(): Answer {
  return answer(400, {
    error: "WorkflowRefused",
    message: "the function returned before its first step: it refused the request, or has no steps",
  });
}

export function failureDone(result: unknown): Answer {
  return answer(200, result === undefined ? {} : { result });
}

export function noFailureFunction(workflowRunId: string): Answer {
  return answer(200, { workflowRunId }, { "Svc-Workflow-Failure-Callback-Notfound": "true" });
}

export interface FailedStep {
  readonly stepName?: string | undefined;
  /** Whether the request comes from the service, which keeps the stack. */
  readonly isVerified?: boolean;
}

/** The thrown error decides whether and when the step is tried again. */
export function failed(error: unknown, { stepName, isVerified }: FailedStep = {}): Answer {
  const step = stepName === undefined ? {} : { "Svc-Error-Step-Name": encodeName(stepName) };
  const body = describeError(error, isVerified === true);
  if (error instanceof ForeignSignatureError) return answer(403, body);
  if (error instanceof SignatureError) return answer(401, body);
  if (error instanceof NonRetryableError) {
    return answer(489, body, { ...step, "Svc-NonRetryable-Error": "true" });
  }
  if (error instanceof RetryAfterError) {
    return answer(429, body, { ...step, "Retry-After": durationText(error.retryAfter) });
  }
  return answer(500, body, step);
}

export function methodNotAllowed(): Answer {
  const body = { error: "MethodNotAllowed", message: "a workflow endpoint takes POST" };
  return answer(405, body, { Allow: "POST" });
}

export function noSuchWorkflow(name: string, known: readonly string[]): Answer {
  const message = `there is no workflow ${JSON.stringify(name)} here; there are: ${known.join(", ")}`;
  return answer(404, { error: "NoSuchWorkflow", message });
}

function answer(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status,
    headers: {
      "Content-Type": "application/json",
      "Svc-Workflow-Sdk-Version": PROTOCOL_VERSION,
      "Svc-Workflow-Sdk": `v${VERSION}`,
      ...headers,
    },
    body: JSON.stringify(body),
  };
}
