/** Conditions on messages, each as in the indexes of the driver that serve it. */
export interface Conditions {
  /** In the index of what waits. */
  readonly isWaiting: string;
  /** Waits apart from the others. */
  readonly isWaitingSuspect: string;
  /** Counts against the limit of its account. */
  readonly isCapped: string;
}
