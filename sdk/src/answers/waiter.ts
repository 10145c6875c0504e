/** `npm run reference` writes this file from the schemas of the server. */
import type { HeaderLists } from "./words.ts";

export interface Waiter {
  /** The URL of the workflow. */
  readonly url: string;
  /** When the wait times out. Unix seconds. */
  readonly deadline: number;
  /** Headers of the delivery that follows the event. */
  readonly headers: HeaderLists;
  /** Where the timeout is delivered. */
  readonly timeoutUrl?: string;
  /** What is delivered at the timeout. */
  readonly timeoutBody?: unknown;
  /** Headers of the delivery of the timeout. */
  readonly timeoutHeaders?: HeaderLists;
}

export interface Notified {
  readonly waiter: Waiter;
  /** The id of the message. */
  readonly messageId: string;
  /** The id of the run. */
  readonly workflowRunId: string;
  /** When the run started. Unix milliseconds. */
  readonly workflowCreatedAt: number;
}
