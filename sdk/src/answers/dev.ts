/** `npm run reference` writes this file from the schemas of the server. */

export interface DevClock {
  /** What the clock shows. Unix milliseconds. */
  readonly now: number;
  /** How far it was put forward since `dev` started, in milliseconds. */
  readonly aheadMs: number;
}

export interface ClockLeap extends DevClock {
  /** How far this request has put it forward, in milliseconds. */
  readonly advancedMs: number;
  /** Nothing is left to do until then. */
  readonly isSettled: boolean;
}

export interface Simulation {
  /** The attempts of the message. */
  readonly attempts?: readonly {
    /** 1 for the first. */
    readonly attempt: number;
    /** Its answer; 0 for none. */
    readonly status: number;
    /** What follows from the answer. */
    readonly result: "delivered" | "retry" | "dead";
    /** When it begins at the earliest. Unix milliseconds. */
    readonly earliestAt: number;
    /** The default backoff is lengthened by chance: at the latest then. Unix milliseconds. */
    readonly latestAt: number;
  }[];
  /** The times of the schedule. */
  readonly times?: readonly {
    /** When it fires. Unix milliseconds. */
    readonly at: number;
    /** How far the clocks of the zone are ahead of UTC then. */
    readonly offsetMinutes: number;
    /** They have changed since the time before. */
    readonly isAfterChange: boolean;
  }[];
  readonly line?: {
    /** When the last message has its answer, in milliseconds. */
    readonly drainedAfterMs: number;
    /** The most attempts in progress at once. */
    readonly atOnceMax: number;
    /** At most 20 messages, evenly chosen, with the first and the last. */
    readonly rows: readonly {
      /** 1 for the first. */
      readonly message: number;
      /** When it is sent, in milliseconds. */
      readonly startsAfterMs: number;
      /** When it has its answer, in milliseconds. */
      readonly endsAfterMs: number;
    }[];
  };
}
