/** A step as the service stores it: its call, and its result. */
export interface StepRecord {
  /** Counts from 1 in the order of the calls; 0 in a plan. */
  readonly stepId: number;
  readonly stepName: string;
  readonly stepType: StepType;
  /** The result; JSON for most types, base64 for data from outside. Absent for undefined. */
  readonly out?: string | undefined;
  /** How many steps were called at once. */
  readonly concurrent: number;
  /** In a plan, the step that is planned. */
  readonly targetStep?: number | undefined;
  readonly sleepFor?: number | string | undefined;
  readonly sleepUntil?: number | undefined;
  readonly waitEventId?: string | undefined;
  readonly timeout?: string | undefined;
  readonly waitTimeout?: boolean | undefined;
}

export type StepType =
  | "Run"
  | "SleepFor"
  | "SleepUntil"
  | "Call"
  | "Wait"
  | "Notify"
  | "Invoke"
  | "CreateWebhook"
  | "WaitForWebhook";

/** The position of a step in its run. */
export type StepPosition = Pick<StepRecord, "stepId" | "stepName" | "stepType" | "concurrent">;

/** The fields that a step adds to its record. */
export type StepFields = Partial<Omit<StepRecord, keyof StepPosition>>;
