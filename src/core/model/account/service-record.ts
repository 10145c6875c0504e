/** What the service itself keeps, beside what belongs to accounts. */
export interface ServiceRecord {
  /** Null until one was drawn, or as long as the settings name one. */
  readonly operator: Operator | null;
  /** No delivery starts, whoever it belongs to. */
  readonly isPaused: boolean;
}

/** Whoever may see and change every account. */
export interface Operator {
  readonly user: string;
  readonly passwordHash: string;
}
