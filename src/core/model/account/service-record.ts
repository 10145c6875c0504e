/** The service's own record, beside those of accounts. */
export interface ServiceRecord {
  /** Null until one is generated, or while the settings name one. */
  readonly operator: Operator | null;
  /** No delivery of any account starts. */
  readonly isPaused: boolean;
}

/** The person who may see and change every account. */
export interface Operator {
  readonly user: string;
  readonly passwordHash: string;
}
