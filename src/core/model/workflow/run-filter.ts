import type { Instant } from "../time.ts";

/** The filter of lists of runs: any of the values, all of the fields. */
export interface RunFilter {
  readonly runIds?: readonly string[] | undefined;
  readonly workflowUrls?: readonly string[] | undefined;
  /** Runs whose URL begins with one of those given match too. */
  readonly isUrlPrefix?: boolean | undefined;
  readonly callerIps?: readonly string[] | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly flowControlKeys?: readonly string[] | undefined;
  /** Both bounds are inclusive. */
  readonly fromAt?: Instant | undefined;
  readonly toAt?: Instant | undefined;
}
