import { textFromBase64 } from "../../base64.ts";
import { type Duration, durationText } from "../../duration.ts";
import { requireKnown } from "../../option-names.ts";
import { readLoosely } from "../json.ts";
import type { Step } from "../step.ts";
import type { StepRecord } from "../step-record.ts";
import type { Submission } from "../submission.ts";

export interface WaitOptions {
  /** How long to wait; seven days if absent. */
  readonly timeout?: Duration | undefined;
}

export type WaitResult<Data> =
  | { readonly eventData: Data; readonly timeout: false }
  | { readonly eventData: undefined; readonly timeout: true };

export function waitStep<Data>(
  name: string,
  eventId: string,
  options: WaitOptions = {},
): Step<WaitResult<Data>> {
  const timeout = timeoutText(options);
  return {
    name,
    type: "Wait",
    fields: { waitEventId: eventId, timeout },
    open: (record, submission) => openWait(record, { eventId, timeout }, submission),
    read: ({ out, waitTimeout }) => {
      if (waitTimeout === true) return { eventData: undefined, timeout: true };
      return { eventData: readEvent(out) as Data, timeout: false };
    },
  };
}

/** Data of an event, which came from outside as bytes. */
export function readEvent(out: string | undefined): unknown {
  return out ? readLoosely(textFromBase64(out)) : undefined;
}

export function timeoutText(options: WaitOptions): string {
  requireKnown("a wait", options, { timeout: true });
  const { timeout = "7d" } = options;
  return durationText(timeout);
}

export function openWait(
  { stepId, stepName, stepType, concurrent }: StepRecord,
  { eventId, timeout }: { eventId: string; timeout: string },
  submission: Submission,
): Promise<void> {
  const { url } = submission.run;
  const timeoutHeaders = Object.entries(submission.headers).map(([key, value]) => [key, [value]]);
  return submission.wait(eventId, {
    url,
    timeout,
    timeoutUrl: url,
    timeoutHeaders: Object.fromEntries(timeoutHeaders) as Record<string, string[]>,
    step: { stepId, stepName, stepType, concurrent },
  });
}
