import { type Duration, durationText } from "../../duration.ts";
import { type OptionNames, requireKnown } from "../../option-names.ts";
import {
  type FlowControl,
  flowControlHeaders,
  forwardHeaders,
  type HeaderRecord,
  retryHeaders,
  type RetrySettings,
  withoutAbsent,
} from "../../settings.ts";
import type { HeadersInput } from "../../web-types.ts";
import { encodeName } from "../protocol.ts";
import { bodyText, readJson, readLoosely } from "../json.ts";
import type { Step } from "../step.ts";
import type { StepRecord } from "../step-record.ts";
import { FEATURE_SET, PROTOCOL_VERSION, type Submission } from "../submission.ts";

/** A request that the service sends for the workflow, which does not run meanwhile. */
export interface CallRequest extends RetrySettings {
  readonly url: string;
  readonly method?: string | undefined;
  /** Text unchanged, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: HeadersInput | undefined;
  readonly timeout?: Duration | undefined;
  readonly flowControl?: FlowControl | undefined;
}

/** The response; a failed call is a value too. Status 0: no response. */
export interface CallResult<Body> {
  readonly status: number;
  readonly body: Body;
  readonly header: Readonly<Record<string, string[]>>;
}

const CALL: OptionNames<CallRequest> = {
  retries: true,
  retryDelay: true,
  url: true,
  method: true,
  body: true,
  headers: true,
  timeout: true,
  flowControl: true,
};

export function callStep<Body>(name: string, request: CallRequest): Step<CallResult<Body>> {
  requireKnown(`the call ${JSON.stringify(name)}`, request, CALL);
  return {
    name,
    type: "Call",
    open: (record, submission) =>
      submission.send([
        {
          destination: request.url,
          headers: {
            ...requestHeaders(request, submission),
            ...callbackHeaders(record, request, submission),
          },
          body: bodyText(request.body),
        },
      ]),
    read: ({ out }) => {
      const result = readJson(out) as CallResult<string>;
      return { ...result, body: readLoosely(result.body) as Body };
    },
  };
}

function requestHeaders(request: CallRequest, { run }: Submission): HeaderRecord {
  const { runId, url, invokeCount } = run;
  return withoutAbsent({
    "Content-Type": "application/json",
    ...forwardHeaders("Svc-Forward-", request.headers),
    "Svc-Method": request.method ?? "GET",
    "Svc-Workflow-CallType": "toCallback",
    "Svc-Workflow-Init": "false",
    "Svc-Workflow-RunId": runId,
    "Svc-Workflow-Url": url,
    "Svc-Workflow-Sdk-Version": PROTOCOL_VERSION,
    // A failed call is a result, and does not end the run.
    "Svc-Feature-Set": "WF_NoDelete,InitialBody",
    ...retryHeaders({ retries: request.retries ?? 0, retryDelay: request.retryDelay }),
    "Svc-Timeout": durationText(request.timeout),
    ...flowControlHeaders(request.flowControl),
    "Svc-Forward-Svc-Workflow-Invoke-Count": invokeCount > 0 ? String(invokeCount) : undefined,
  });
}

/** The result comes back as a callback with the step's position in its headers. */
function callbackHeaders(
  record: StepRecord,
  request: CallRequest,
  { run }: Submission,
): HeaderRecord {
  const contentType = new Headers(request.headers).get("Content-Type") ?? "application/json";
  const own = "Svc-Callback-Forward-Svc-Workflow";
  return withoutAbsent({
    "Svc-Callback": run.url,
    "Svc-Callback-Workflow-RunId": run.runId,
    "Svc-Callback-Workflow-CallType": "fromCallback",
    "Svc-Callback-Workflow-Init": "false",
    "Svc-Callback-Workflow-Url": run.url,
    "Svc-Callback-Feature-Set": FEATURE_SET,
    [`${own}-Callback`]: "true",
    [`${own}-StepId`]: String(record.stepId),
    [`${own}-StepName`]: encodeName(record.stepName),
    [`${own}-StepType`]: record.stepType,
    [`${own}-Concurrent`]: String(record.concurrent),
    [`${own}-ContentType`]: contentType,
    [`${own}-Invoke-Count`]: run.invokeCount > 0 ? String(run.invokeCount) : undefined,
  });
}
