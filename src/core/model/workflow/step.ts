/** A step as the endpoint's SDK describes it. Fields that we do not read travel along unseen. */
export interface Step {
  readonly stepId: number;
  readonly stepName: string;
  readonly stepType: string;
  /** 1, or how many run side by side. */
  readonly concurrent: number;
  /** The step that a plan is about; a plan itself has the id 0. */
  readonly targetStep?: number | undefined;
}

/**
 * What may happen to a step once: it is planned, it is opened by a call, a wait or an invocation,
 * and it is closed by its result. Whoever asks for one of them again is told of the first.
 */
export const planKey = (targetStep: number): string => `p:${targetStep}`;
export const openKey = (stepId: number): string => `o:${stepId}`;
export const resultKey = (stepId: number): string => `r:${stepId}`;

/** The workflow has created a webhook; its event id is the secret of its URL. */
export const hookKey = (eventId: string): string => `h:${eventId}`;

/** Only steps of this type are released by a call to a webhook, and by nothing else. */
export const isWebhookWait = ({ stepType }: Step): boolean => stepType === "WaitForWebhook";
