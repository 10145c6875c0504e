/** The rows of the service's interface specification, sections 2 to 9, and where each is shown. */
export interface Section {
  readonly number: string;
  readonly title: string;
  /** The file that has one test for each row. */
  readonly file: string;
  readonly rows: readonly string[];
}

export const SECTIONS: readonly Section[] = [
  {
    number: "2.1",
    title: "Dead letter",
    file: "test/rows/dead-letter.test.ts",
    rows: words(`messageId url topicName endpointName method header body bodyBase64 maxRetries notBefore
      createdAt callback failureCallback queueName scheduleId callerIP dlqId label labels
      flowControlKey rate period parallelism responseStatus responseHeader responseBody
      responseBodyBase64`),
  },
  {
    number: "2.2",
    title: "Schedule",
    file: "test/rows/schedule.test.ts",
    rows: words(`scheduleId cron destination createdAt method isPaused header body bodyBase64 retries
      delay callback failureCallback callerIp flowControlKey parallelism rate period
      retryDelayExpression label labels lastScheduleTime nextScheduleTime lastScheduleStates`),
  },
  {
    number: "2.3",
    title: "Workflow run log",
    file: "test/rows/run-log.test.ts",
    rows: [
      "workflowRunId",
      "workflowUrl",
      "workflowState",
      "workflowRunCreatedAt",
      "workflowRunCompletedAt",
      "workflowRunCallerIp",
      "steps",
      "workflowRunResponse",
      "invoker",
      "failureFunction",
      "dlqId",
      "label",
      "labels",
      "flowControlKey",
      "step record",
      "failure function record",
      "cursor and runs",
    ],
  },
  {
    number: "2.4",
    title: "Answers of messaging",
    file: "test/rows/answers.test.ts",
    rows: ["create schedule response", "error body"],
  },
  {
    number: "2.4",
    title: "Answers of workflows",
    file: "test/rows/workflow-answers.test.ts",
    rows: ["trigger response", "bulk resume response", "notify response", "waiter"],
  },
  {
    number: "2.5",
    title: "Account",
    file: "test/rows/account.test.ts",
    rows: words(`customer_id id password token active state modifying_state last_plan_upgrade_time type
      reserved_type reserved_price prod_pack_enabled prometheus_enabled enterprise region
      budget created_by creation_time retention`),
  },
  {
    number: "3",
    title: "States of schedules and accounts",
    file: "test/rows/states.test.ts",
    rows: [
      "pausing a schedule leaves its next time and ignores that delivery",
      "pausing a paused schedule has no effect",
      "creating a schedule whose id exists replaces its settings",
      "an account is active or suspended",
    ],
  },
  {
    number: "3",
    title: "States of workflows",
    file: "test/rows/workflow-answers.test.ts",
    rows: ["run states", "step states", "failure function states"],
  },
  {
    number: "4.1",
    title: "Get a dead letter",
    file: "test/rows/endpoints.test.ts",
    rows: ["GET /v2/dlq/{dlqId}", "404 when it is gone"],
  },
  {
    number: "4.2",
    title: "Create a schedule",
    file: "test/rows/schedule-headers.test.ts",
    rows: [
      "Svc-Cron",
      "Svc-Schedule-Id",
      "Content-Type",
      "Svc-Method",
      "Svc-Timeout",
      "Svc-Retries",
      "Svc-Retry-Delay",
      "Svc-Delay",
      "Svc-Forward-*",
      "Svc-Callback",
      "Svc-Callback-Forward-*",
      "Svc-Callback-Method",
      "Svc-Callback-Timeout",
      "Svc-Callback-Retries",
      "Svc-Callback-Retry-Delay",
      "Svc-Failure-Callback",
      "Svc-Failure-Callback-Forward-*",
      "Svc-Failure-Callback-Method, -Timeout, -Retries and -Retry-Delay",
      "Svc-Redact-Fields",
      "Svc-Label",
      "a URL or a URL group as destination",
      "the body is passed on as it is",
    ],
  },
  {
    number: "4.3",
    title: "Get a schedule",
    file: "test/rows/endpoints.test.ts",
    rows: ["GET /v2/schedules/{scheduleId}"],
  },
  {
    number: "4.4",
    title: "Pause a schedule",
    file: "test/rows/endpoints.test.ts",
    rows: ["POST /v2/schedules/{scheduleId}/pause"],
  },
  {
    number: "4.5",
    title: "Trigger a workflow run",
    file: "test/rows/trigger.test.ts",
    rows: words(
      `Svc-Workflow-RunId Svc-Forward-* Svc-Retries Svc-Delay Svc-Not-Before Svc-Label Svc-Flow-Control-Key Svc-Flow-Control-Value Svc-Failure-Callback Svc-Failure-Callback-Forward-* Svc-Retry-Delay`,
    ),
  },
  {
    number: "4.6",
    title: "List workflow run logs",
    file: "test/rows/run-log-filters.test.ts",
    rows: words(`cursor workflowUrl workflowRunId workflowCreatedAt workflowRuns state fromDate toDate
      count trimBody label flowControlKey callerIp`),
  },
  {
    number: "4.7",
    title: "Bulk resume workflow runs",
    file: "test/rows/workflow-answers.test.ts",
    rows: ["headers", "query parameters"],
  },
  {
    number: "4.8",
    title: "Notify waiting workflows",
    file: "test/rows/workflow-answers.test.ts",
    rows: ["notify"],
  },
  {
    number: "4.9",
    title: "Reset the rate of a flow-control key",
    file: "test/rows/endpoints.test.ts",
    rows: ["POST /v2/flowControl/{flowControlKey}/resetRate"],
  },
  {
    number: "4.10",
    title: "Reset the credentials of an account",
    file: "test/rows/endpoints.test.ts",
    rows: ["POST /v2/svc/rotate-token/{id}"],
  },
  {
    number: "5",
    title: "Authentication",
    file: "test/rows/endpoints.test.ts",
    rows: ["Authorization: Bearer", "Authorization: Basic"],
  },
  {
    number: "6",
    title: "Events",
    file: "test/rows/events.test.ts",
    rows: [
      "a callback follows each attempt",
      "a failure callback follows the last attempt and names the dead letter",
      "callbacks count as messages and take over the retries",
    ],
  },
  {
    number: "6",
    title: "Events of workflows",
    file: "test/rows/workflow-answers.test.ts",
    rows: ["a notify resumes those who wait", "a wait that ends sends its timeout request"],
  },
  {
    number: "7",
    title: "Errors",
    file: "test/rows/endpoints.test.ts",
    rows: ["a dead letter that is gone is 404", "a failed flow-control reset says why"],
  },
  {
    number: "8",
    title: "Limits",
    file: "test/rows/limits.test.ts",
    rows: [
      "a schedule fires once a minute at most",
      "Svc-Retries defaults to 3 on the free plan and 5 on paid ones",
      "deliveries are 1 + retries",
      "max_message_size",
      "max_requests_per_day",
      "max_requests_per_day_hard",
      "max_endpoints_per_topic",
      "max_requests_per_second",
      "max_dlq_size",
      "max_completion_tokens_per_day",
      "max_completion_tokens_per_minute",
      "max_completions_per_day",
      "max_completions_per_minute",
      "max_retries",
      "max_topics",
      "max_schedules",
      "max_events_size",
      "max_dlq_retention_time_milis",
      "max_delay",
      "max_parallelism",
      "max_global_parallelism",
      "max_queues",
      "timeout",
      "rate_limit",
    ],
  },
  {
    number: "8",
    title: "Limits of workflows",
    file: "test/rows/workflow-answers.test.ts",
    rows: ["pages of run logs", "retries of a triggered run"],
  },
  {
    number: "9",
    title: "Versioning",
    file: "test/rows/endpoints.test.ts",
    rows: ["every path of the interface begins with /v2/", "label stays beside labels"],
  },
];

function words(text: string): string[] {
  return text.split(/\s+/);
}
