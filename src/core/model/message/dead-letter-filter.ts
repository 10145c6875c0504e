import type { MessageFilter } from "./log-filter.ts";

/** Which dead letters are meant; an empty list means none of them. */
export interface DeadLetterFilter extends MessageFilter {
  readonly deadLetterIds?: readonly string[] | undefined;
  /** Status of the last answer, 0 for none. */
  readonly statuses?: readonly number[] | undefined;
  /** Those of workflow runs, which are otherwise left out. */
  readonly isOfRun?: boolean | undefined;
}
