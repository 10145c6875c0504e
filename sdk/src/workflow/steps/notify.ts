import { notify } from "../../client/notify.ts";
import type { Notified } from "../../answers/waiter.ts";
import { readJson } from "../json.ts";
import type { Step } from "../step.ts";
import { resultJson } from "./run.ts";

export interface NotifyResult {
  readonly eventId: string;
  readonly eventData: unknown;
  /** The runs that were waiting. */
  readonly notifyResponse: readonly Notified[];
}

/** With a run, only that one is notified; the data is stored if it does not wait yet. */
export function notifyStep(
  name: string,
  eventId: string,
  eventData: unknown,
  workflowRunId?: string,
): Step<NotifyResult> {
  return {
    name,
    type: "Notify",
    perform: async ({ transport }) => {
      const notifyResponse = await notify(transport, { eventId, eventData, workflowRunId });
      return { out: resultJson(name, { eventId, eventData, notifyResponse }) };
    },
    read: ({ out }) => readJson(out) as NotifyResult,
  };
}
