/**
 * A step as the endpoint's SDK describes it. Fields that the server does not read are passed on
 * unchanged.
 */
export interface Step {
  readonly stepId: number;
  readonly stepName: string;
  readonly stepType: string;
  /** 1, or how many run in parallel. */
  readonly concurrent: number;
  /** The step that a plan is for; a plan itself has the id 0. */
  readonly targetStep?: number | undefined;
}

/**
 * The keys of what may happen to a step once: it is planned, it is opened by a call, a wait or an
 * invocation, and it is closed by its result. A repeated submission gets the id of the first.
 */
export const planKey = (targetStep: number): string => `p:${targetStep}`;
export const openKey = (stepId: number): string => `o:${stepId}`;
export const resultKey = (stepId: number): string => `r:${stepId}`;

/** The workflow has created a webhook; its event id is the secret of its URL. */
export const hookKey = (eventId: string): string => `h:${eventId}`;

/** Only steps of this type are released by a webhook call, and by nothing else. */
export const isWebhookWait = ({ stepType }: Step): boolean => stepType === "WaitForWebhook";
