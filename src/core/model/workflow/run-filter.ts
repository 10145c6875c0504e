import type { Instant } from "../message/message.ts";

/** What lists of runs can be narrowed by: any of the values, all of the fields. */
export interface RunFilter {
  readonly runIds?: readonly string[] | undefined;
  readonly workflowUrls?: readonly string[] | undefined;
  /** Runs whose URL begins with one of those given are meant too. */
  readonly isUrlPrefix?: boolean | undefined;
  readonly callerIps?: readonly string[] | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly flowControlKeys?: readonly string[] | undefined;
  /** Both bounds belong to the range. */
  readonly fromAt?: Instant | undefined;
  readonly toAt?: Instant | undefined;
}
