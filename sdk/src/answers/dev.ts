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
