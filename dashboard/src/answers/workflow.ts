/** `npm run reference` writes this file from the schemas of the server. */
import type { HeaderLists, RunState, StepState } from "../../../sdk/src/answers/words.ts";
import type { StepLog } from "../../../sdk/src/answers/workflow.ts";

export interface RunEvent {
  /** The id of the run. */
  readonly workflowRunId: string;
  /** The URL of the workflow. */
  readonly workflowUrl: string;
  /** When it happened. Unix milliseconds. */
  readonly time: number;
  readonly state: RunState | StepState;
  /** When the run started. Unix milliseconds. */
  readonly workflowCreatedAt: number;
  /** The address of the client that started the run. */
  readonly callerIp: string;
  /** The dead letter of a failed run. */
  readonly dlqId?: string;
  /** The first label. */
  readonly label?: string;
  /** All labels. */
  readonly labels?: readonly string[];
  /** The id of the message. */
  readonly messageId?: string;
  readonly stepInfo?: StepLog;
  /** When the next attempt is due. Unix milliseconds. */
  readonly nextDeliveryTime?: number;
  /** Why an attempt failed. */
  readonly error?: string;
  readonly responseStatus?: number;
  readonly responseBody?: string;
  /** Only a part of the body is stored. */
  readonly responseBodyTruncated?: boolean;
  /** Headers of the answer. */
  readonly responseHeaders?: HeaderLists;
  /** Headers of the run. */
  readonly headers?: HeaderLists;
  /** The result of the run. */
  readonly workflowRunResponse?: string;
  /** The run that invoked it. */
  readonly invokerWorkflowRunId?: string;
  readonly invokerWorkflowUrl?: string;
  /** When that run started. Unix milliseconds. */
  readonly invokerWorkflowCreatedAt?: number;
}

export interface RunEventPage {
  readonly events: readonly RunEvent[];
  /** Send it to get the next page. Absent or empty on the last page. */
  readonly cursor?: string;
}

export interface RunCounts {
  /** By the words of `state` of the list of runs. */
  readonly states: {
    /** How many runs. */
    readonly RUN_STARTED: number;
    /** How many runs. */
    readonly RUN_SUCCESS: number;
    /** How many runs. */
    readonly RUN_FAILED: number;
    /** How many runs. */
    readonly RUN_CANCELED: number;
    /** How many runs. */
    readonly STEP_RETRY: number;
  };
  /** By the words of `waitingFor`: open runs that do nothing but wait. */
  readonly waitingFor: {
    /** How many runs. */
    readonly sleep: number;
    /** How many runs. */
    readonly event: number;
  };
  /** Only the newest runs are counted. */
  readonly isAbout: boolean;
  /** `STEP_RETRY` and `waitingFor` are of a part of the open runs. */
  readonly isOpenAbout: boolean;
}
