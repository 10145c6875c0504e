import { webCrypto } from "../../runtime.ts";
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
import { bodyText, readJson, readLoosely } from "../json.ts";
import type { Step } from "../step.ts";
import type { StepRecord } from "../step-record.ts";
import { FEATURE_SET, PROTOCOL_VERSION, type RunFacts, type Submission } from "../submission.ts";

export interface InvokeSettings extends RetrySettings {
  /** The payload of the invoked run: text unchanged, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: HeadersInput | undefined;
  readonly workflowRunId?: string | undefined;
  readonly label?: string | readonly string[] | undefined;
  readonly flowControl?: FlowControl | undefined;
  readonly delay?: Duration | undefined;
}

/** The return value of the invoked run; undefined if it failed or was canceled. */
export interface InvokeResult<Body> {
  readonly body: Body;
  readonly isCanceled: boolean;
  readonly isFailed: boolean;
}

const INVOKE: OptionNames<InvokeSettings> & { url: true; workflow: true } = {
  retries: true,
  retryDelay: true,
  body: true,
  headers: true,
  workflowRunId: true,
  label: true,
  flowControl: true,
  delay: true,
  url: true,
  workflow: true,
};

export function invokeStep<Body>(
  name: string,
  url: string,
  settings: InvokeSettings,
): Step<InvokeResult<Body>> {
  requireKnown(`the invocation ${JSON.stringify(name)}`, settings, INVOKE);
  return {
    name,
    type: "Invoke",
    open: async (record, submission) => {
      const { run } = submission;
      const childId = settings.workflowRunId ?? (await childIdOf(run, record.stepId));
      const headers = childHeaders(url, childId, run, settings);
      await submission.publish(url, headers, envelope(record, settings, submission));
    },
    read: ({ out }) => {
      const { body, isCanceled, isFailed } = readJson(out) as InvokeResult<string | undefined>;
      const read = body === undefined || body === "" ? undefined : readLoosely(body);
      return { body: read as Body, isCanceled: isCanceled ?? false, isFailed: isFailed ?? false };
    },
  };
}

/** The same step always gives the same run id, so repeated attempts start one run. */
async function childIdOf({ runId, createdAt }: RunFacts, stepId: number): Promise<string> {
  const name = new TextEncoder().encode(`${runId}@${createdAt}/${stepId}`);
  const hash = new Uint8Array(await webCrypto().subtle.digest("SHA-256", name));
  const letters = Array.from(hash.subarray(0, 12), (byte) => byte.toString(16).padStart(2, "0"));
  return `wfr_${letters.join("")}`;
}

function childHeaders(
  url: string,
  runId: string,
  parent: RunFacts,
  settings: InvokeSettings,
): HeaderRecord {
  const { label: given, headers, delay } = settings;
  const label = given === undefined || typeof given === "string" ? given : given.join(",");
  return withoutAbsent({
    "Content-Type": "application/json",
    ...forwardHeaders("Svc-Forward-", headers),
    "Svc-Method": "POST",
    "Svc-Workflow-Init": "true",
    "Svc-Workflow-Invoke": "true",
    "Svc-Workflow-RunId": runId,
    "Svc-Workflow-Url": url,
    "Svc-Workflow-Sdk-Version": PROTOCOL_VERSION,
    "Svc-Forward-Svc-Workflow-Sdk-Version": PROTOCOL_VERSION,
    "Svc-Forward-Svc-Workflow-Invoke-Count": String(parent.invokeCount + 1),
    "Svc-Feature-Set": FEATURE_SET,
    "Svc-Delay": durationText(delay),
    "Svc-Label": label,
    "Svc-Forward-Svc-Label": label,
    ...retryHeaders(settings),
    ...flowControlHeaders(settings.flowControl),
    ...failureHeaders(url, runId, headers),
  });
}

/** If the invoked run fails, its own failure function is called, on its endpoint. */
function failureHeaders(
  url: string,
  runId: string,
  headers: HeadersInput | undefined,
): HeaderRecord {
  return {
    ...forwardHeaders("Svc-Failure-Callback-Forward-", headers),
    "Svc-Failure-Callback": url,
    "Svc-Failure-Callback-Feature-Set": FEATURE_SET,
    "Svc-Failure-Callback-Workflow-RunId": runId,
    "Svc-Failure-Callback-Workflow-Init": "false",
    "Svc-Failure-Callback-Workflow-Url": url,
    "Svc-Failure-Callback-Workflow-CallType": "failureCall",
    "Svc-Failure-Callback-Forward-Svc-Workflow-Is-Failure": "true",
    "Svc-Failure-Callback-Forward-Svc-Workflow-Failure-Callback": "true",
  };
}

/** The payload, and the settings by which the result is returned. */
function envelope(
  { stepId, stepName, stepType, concurrent }: StepRecord,
  settings: InvokeSettings,
  { run, headers }: Submission,
): object {
  return {
    body: bodyText(settings.body),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    workflowRunId: run.runId,
    workflowRunCreatedAt: run.createdAt,
    workflowUrl: run.url,
    step: { stepId, stepName, stepType, concurrent },
  };
}
