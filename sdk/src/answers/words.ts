/** `npm run reference` writes this file from the schemas of the server. */

export type HeaderLists = Readonly<Record<string, readonly string[]>>;

export type LogState =
  | "CREATED"
  | "ACTIVE"
  | "DELIVERED"
  | "ERROR"
  | "RETRY"
  | "FAILED"
  | "CANCEL_REQUESTED"
  | "CANCELED";

export type WaitReason =
  | "delay"
  | "retry"
  | "paused"
  | "queue-full"
  | "key-rate"
  | "key-parallelism"
  | "account-parallelism"
  | "host-full"
  | "host-failing"
  | "node-full";

export type RunState =
  | "RUN_STARTED"
  | "RUN_SUCCESS"
  | "RUN_FAILED"
  | "RUN_CANCELED";

export type StepState =
  | "STEP_PROGRESS"
  | "STEP_RETRY"
  | "STEP_SUCCESS"
  | "STEP_FAILED"
  | "STEP_CANCELED";

export type FailureFunctionState =
  | "CALLBACK_INPROGRESS"
  | "CALLBACK_SUCCESS"
  | "CALLBACK_FAIL"
  | "CALLBACK_CANCELED";
