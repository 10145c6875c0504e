/** `npm run reference` writes this file from the schemas of the server. */

export interface Queue {
  /** When it was created. Unix milliseconds. */
  readonly createdAt: number;
  /** When it was last changed. Unix milliseconds. */
  readonly updatedAt: number;
  /** Its name. */
  readonly name: string;
  /** How many of its messages are delivered at once. */
  readonly parallelism: number;
  /** Messages in it that have not ended. */
  readonly lag: number;
  /** It delivers nothing. */
  readonly paused: boolean;
}

export interface FlowControlKey {
  /** The key. */
  readonly flowControlKey: string;
  /** Messages that wait. */
  readonly waitListSize: number;
  /** Attempts at once; 0 for no limit. */
  readonly parallelismMax: number;
  /** Attempts in progress. */
  readonly parallelismCount: number;
  /** Attempts that may start in a period; 0 for no limit. */
  readonly rateMax: number;
  /** Attempts that started in this period. */
  readonly rateCount: number;
  /** The period, in seconds. */
  readonly ratePeriod: number;
  /** When the period began. Unix seconds. */
  readonly ratePeriodStart: number;
  /** No message under it starts. */
  readonly isPaused: boolean;
  /** Messages do not change the parallelism. */
  readonly isPinnedParallelism: boolean;
  /** Messages do not change the rate. */
  readonly isPinnedRate: boolean;
}

export interface GlobalParallelism {
  /** Attempts at once; 0 for no limit. */
  readonly parallelismMax: number;
  /** Attempts in progress. */
  readonly parallelismCount: number;
}
