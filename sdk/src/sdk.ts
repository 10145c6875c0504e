/** The exports of `@postrider/sdk`. */
export { Client } from "./client/client.ts";
export type {
  BatchAnswer,
  BatchItem,
  Publish,
  PublishAnswer,
  PublishToGroup,
  PublishToUrl,
} from "./client/publish.ts";
export type { DeadRunFilter, RunOverrides } from "./client/dead-runs.ts";
export type { NewToken } from "./client/account.ts";
export type { RetryNow } from "./client/messages.ts";
export type { WaitForEnd } from "./client/poll.ts";
export type { NewSchedule } from "./client/schedules.ts";
export type * from "./client/filters.ts";
export type * from "./answers/account.ts";
export type {
  DeadLetter,
  DeadLetterGroup,
  DeletedCount,
  RetriedMessages,
} from "./answers/dead-letter.ts";
export type { DeadRun, RerunRun, Resumed } from "./answers/dead-run.ts";
export type { FlowControlKey, GlobalParallelism, Queue } from "./answers/line.ts";
export type {
  Callback,
  CancelledCount,
  LogEntry,
  Message,
  Published,
  SentManyNow,
  Wait,
  WaitingReasons,
  WaitingRow,
} from "./answers/message.ts";
export type { Problem } from "./answers/problem.ts";
export type { CreatedSchedule, Schedule } from "./answers/schedule.ts";
export type * from "./answers/url-group.ts";
export type { Notified, Waiter } from "./answers/waiter.ts";
export type * from "./answers/words.ts";
export type {
  CancelledRuns,
  FailureFunctionLog,
  Run,
  StepError,
  StepGroup,
  StepLog,
  Triggered,
} from "./answers/workflow.ts";
export type { BulkCount } from "./client/bulk-count.ts";
export type { ShownMessage } from "./client/dead-letters.ts";
export type { RunFilter, RunLogFilter } from "./client/workflows.ts";
export type { Duration } from "./duration.ts";
export * from "./errors.ts";
export type { Page } from "./page.ts";
export { Receiver, type ReceiverOptions, type SignedRequest } from "./receiver.ts";
export type { Selection } from "./selection.ts";
export type * from "./settings.ts";
export type { ClientOptions, RetryOptions } from "./transport.ts";
export type { Notification } from "./client/notify.ts";
export type { Trigger, TriggerSettings } from "./client/trigger.ts";
export type { Context } from "./workflow/context.ts";
export * from "./workflow/errors.ts";
export type { Failure } from "./workflow/failure.ts";
export type { Logger } from "./workflow/logger.ts";
export type { ServeOptions, StandardSchema, WorkflowFunction } from "./workflow/options.ts";
export { serve } from "./workflow/serve.ts";
export { createWorkflow, serveMany } from "./workflow/serve-many.ts";
export type { Handler, Workflow } from "./workflow/siblings.ts";
export type { CallRequest, CallResult } from "./workflow/steps/call.ts";
export type { InvokeResult, InvokeSettings } from "./workflow/steps/invoke.ts";
export type { NotifyResult } from "./workflow/steps/notify.ts";
export type { WaitOptions, WaitResult } from "./workflow/steps/wait.ts";
export type { Webhook, WebhookResult } from "./workflow/steps/webhook.ts";
