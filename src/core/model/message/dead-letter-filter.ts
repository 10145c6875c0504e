import type { MessageFilter } from "./log-filter.ts";

/** Which dead letters to list; an empty list of values matches none. */
export interface DeadLetterFilter extends MessageFilter {
  readonly deadLetterIds?: readonly string[] | undefined;
  /** Status of the last response, 0 for none. */
  readonly statuses?: readonly number[] | undefined;
  /** The text of the last error. */
  readonly errors?: readonly string[] | undefined;
  /** What they have in common; see causeOf. */
  readonly causes?: readonly string[] | undefined;
  /** Only those of workflow runs, which are otherwise left out. */
  readonly isOfRun?: boolean | undefined;
}
