import {
  FAILURE_STATES,
  RUN_STATES,
  type RunCounts,
  STEP_STATES,
} from "../../core/model/workflow/run-log.ts";
import { HTTP_METHODS } from "../../core/model/message/message.ts";
import {
  anyOf,
  inlineObject,
  choice,
  flag,
  headers,
  instant,
  list,
  object,
  page,
  type Schema,
  text,
  integer,
} from "../json/schema.ts";
import {
  CONTENT_MEMBERS,
  DEAD_LETTER,
  DEATH_MEMBERS,
  LABEL_MEMBERS,
  MESSAGE_ID,
  METHOD,
  RETRIES,
  SETTING_MEMBERS,
} from "../message/message-schemas.ts";

/** The answers about workflow runs. A test holds them to real answers. */

const RUN_ID = text("The id of the run.", "wfr_01JGFJJZ00ABCDEFGHJKMNPQRS");
const RUN_CREATED_AT = instant("When the run started.");
export const WORKFLOW_URL = text("The URL of the workflow.", "https://example.com/order");
const REPORT_STATES = Object.values(FAILURE_STATES).filter((state) => state !== undefined);
export type ReportState = (typeof REPORT_STATES)[number];

export const RUN_NAME = { workflowRunId: RUN_ID, workflowCreatedAt: RUN_CREATED_AT };

export const STARTED_RUN = object("StartedRun", RUN_NAME, {
  deduplicated: flag("It is a duplicate; nothing was started."),
});
export const STARTED_RUNS = list(STARTED_RUN);
export const RERUN = object("RerunRun", RUN_NAME);
export const RERUNS = page("RerunRuns", "workflowRuns", RERUN);
export const CANCELED_RUNS = object("CancelledRuns", {
  cancelled: integer("How many runs were canceled.", 3),
});

export const RUN_ENTRIES = list(
  object("RunEntry", {
    messageId: MESSAGE_ID,
    callType: text("What the entry is.", "step"),
    body: text("The entry in base64."),
  }),
);

export const ERRORS = list(
  object(
    "StepError",
    {
      error: text(),
      status: integer("0 without an answer.", 500),
      time: instant("When it ended."),
    },
    {
      name: text("The name of the error in the answer.", "CardDeclined"),
      message: text("The message of the error in the answer; at most 1,000 characters."),
      body: text("The answer."),
      bodyTruncated: flag("Only a part of the body is stored."),
      headers: headers("Headers of the answer."),
    },
  ),
  "Failed attempts.",
);

/** A delivery that asks for a step shows only its state; a known step shows the rest. */
export const STEP = object(
  "Step",
  { messageId: MESSAGE_ID, state: choice(STEP_STATES, "The state of the step.", "STEP_SUCCESS") },
  {
    stepId: integer("Absent for the payload of the run."),
    stepName: text(
      "Its name in the workflow; of a step that failed if the SDK named it.",
      "charge",
    ),
    stepType: text("Its kind, such as `Run`, `SleepFor` or `Call`.", "Run"),
    callType: text(),
    createdAt: instant("When it was recorded."),
    concurrent: integer("How many steps run side by side with it."),
    out: text("Its result."),
    headers: headers("For the payload: the forwarded headers."),
    callUrl: text("What a call calls."),
    callMethod: choice(HTTP_METHODS),
    callHeaders: headers("Headers of the call."),
    callBody: text("Body of the call."),
    callResponseStatus: integer(),
    callResponseBody: text(),
    callResponseBodyTruncated: flag("Only a part of the body is stored."),
    callResponseHeaders: headers("Headers of the answer to the call."),
    sleepFor: { type: "number", description: "How long it sleeps, in milliseconds." },
    sleepUntil: { type: "number", description: "When it wakes. Unix seconds." },
    waitEventId: text("The event that it waits for."),
    waitTimeout: flag("The wait timed out."),
    waitTimeoutDeadline: instant("When the wait times out."),
    waitTimeoutDuration: text("How long it waits.", "604800s"),
    invokedWorkflowRunId: text("The run that it invoked."),
    invokedWorkflowUrl: text(),
    invokedWorkflowCreatedAt: instant("When that run started."),
    invokedWorkflowRunBody: text("The payload of that run."),
    invokedWorkflowRunHeaders: headers("Headers of that run."),
    retries: integer("Retries of its delivery."),
    retryDelay: text("The expression of `Svc-Retry-Delay`."),
    nextDeliveryTime: instant("When the next attempt is due."),
    errors: ERRORS,
  },
);

const STEP_GROUP = object("StepGroup", {
  type: choice(
    ["sequential", "parallel", "next"],
    "`next` is a delivery in progress whose step is not known yet.",
  ),
  steps: list(STEP),
});

export const FAILURE_FUNCTION = object(
  "FailureFunction",
  {
    messageId: MESSAGE_ID,
    url: text("Where the failure is reported."),
    state: choice(REPORT_STATES),
  },
  {
    dlqId: text("The dead letter of the run."),
    failHeaders: headers("Headers of the answer that failed the run."),
    failStatus: integer(),
    failResponse: text("The error that failed the run."),
    responseBody: text("The answer to the report."),
    responseBodyTruncated: flag("Only a part of the body is stored."),
    responseHeaders: headers("Headers of the answer to the report."),
    responseStatus: integer(),
    maxRetries: integer(),
    errors: ERRORS,
  },
);

const RUN_MEMBERS = [
  { workflowRunId: RUN_ID, workflowUrl: WORKFLOW_URL },
  { dlqId: text("The dead letter of a failed run."), ...LABEL_MEMBERS },
] as const;

export const RUN = object(
  "Run",
  {
    ...RUN_MEMBERS[0],
    workflowState: choice(Object.values(RUN_STATES), "The state of the run.", "RUN_SUCCESS"),
    workflowRunCreatedAt: RUN_CREATED_AT,
    workflowRunCallerIp: text("The address of the client that started it."),
    steps: list(STEP_GROUP, "Steps in order; those that ran side by side are together."),
  },
  {
    ...RUN_MEMBERS[1],
    workflowRunCompletedAt: instant("When it ended."),
    workflowRunResponse: text("Its result."),
    invoker: {
      ...inlineObject({
        workflowRunId: RUN_ID,
        workflowUrl: WORKFLOW_URL,
        workflowRunCreatedAt: RUN_CREATED_AT,
      }),
      description: "The run that invoked it.",
    },
    rerunOf: {
      ...inlineObject({ workflowRunId: RUN_ID, workflowRunCreatedAt: RUN_CREATED_AT }),
      description: "The failed run that it resumes or restarts.",
    },
    followedBy: {
      ...inlineObject({ workflowRunId: RUN_ID, workflowRunCreatedAt: RUN_CREATED_AT }),
      description: "The run that resumed or restarted it.",
    },
    failureFunction: FAILURE_FUNCTION,
    flowControlKey: text("Its flow-control key."),
  },
);

const RUN_COUNT = integer("How many runs.");
export const RUN_COUNTS: Schema<RunCounts> = object("RunCounts", {
  states: {
    ...inlineObject({
      RUN_STARTED: RUN_COUNT,
      RUN_SUCCESS: RUN_COUNT,
      RUN_FAILED: RUN_COUNT,
      RUN_CANCELED: RUN_COUNT,
      STEP_RETRY: RUN_COUNT,
    }),
    description: "By the words of `state` of the list of runs.",
  },
  waitingFor: {
    ...inlineObject({ sleep: RUN_COUNT, event: RUN_COUNT }),
    description: "By the words of `waitingFor`: open runs that do nothing but wait.",
  },
  isAbout: flag("Only the newest runs are counted."),
  isOpenAbout: flag("`STEP_RETRY` and `waitingFor` are of a part of the open runs."),
});

export const RUN_EVENT = object(
  "RunEvent",
  {
    ...RUN_MEMBERS[0],
    time: instant("When it happened."),
    state: choice([...Object.values(RUN_STATES), ...STEP_STATES]),
    workflowCreatedAt: RUN_CREATED_AT,
    callerIp: text("The address of the client that started the run."),
  },
  {
    ...RUN_MEMBERS[1],
    messageId: MESSAGE_ID,
    stepInfo: STEP,
    nextDeliveryTime: instant("When the next attempt is due."),
    error: text("Why an attempt failed."),
    responseStatus: integer(),
    responseBody: text(),
    responseBodyTruncated: flag("Only a part of the body is stored."),
    responseHeaders: headers("Headers of the answer."),
    headers: headers("Headers of the run."),
    workflowRunResponse: text("The result of the run."),
    invokerWorkflowRunId: text("The run that invoked it."),
    invokerWorkflowUrl: text(),
    invokerWorkflowCreatedAt: instant("When that run started."),
  },
);

export const RUN_PAGE = page("RunPage", "runs", RUN);
export const RUN_EVENT_PAGE = anyOf(page("RunEventPage", "events", RUN_EVENT), RUN_PAGE);

export const DEAD_RUN = object(
  "FailedRun",
  {
    ...DEATH_MEMBERS[0],
    ...RUN_NAME,
    ...CONTENT_MEMBERS[0],
    messageId: MESSAGE_ID,
    url: WORKFLOW_URL,
    workflowUrl: WORKFLOW_URL,
    method: METHOD,
    header: headers("Headers of the run."),
    maxRetries: RETRIES,
    notBefore: instant("When the failed message was due."),
    createdAt: instant("When the failed message was created."),
  },
  {
    ...DEATH_MEMBERS[1],
    ...CONTENT_MEMBERS[1],
    ...SETTING_MEMBERS,
    failureCallbackInfo: inlineObject(
      { state: choice(REPORT_STATES) },
      {
        responseStatus: integer(),
        responseBody: text(),
        responseHeaders: headers("Headers of the answer to the report."),
      },
    ),
    failureFunctionState: choice(REPORT_STATES),
  },
);

export const DEAD_RUN_PAGE = page("FailedRunPage", "messages", DEAD_RUN);
/** `/v2/dlq` lists failed runs with `source=workflow`. */
export const DEAD_LETTERS = anyOf(page("DeadLetterPage", "messages", DEAD_LETTER), DEAD_RUN_PAGE);
