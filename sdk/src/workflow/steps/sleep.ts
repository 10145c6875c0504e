import { type Duration, durationText } from "../../duration.ts";
import { type Instant, instantText } from "../../settings.ts";
import { WorkflowError } from "../errors.ts";
import type { Step } from "../step.ts";

export function sleepStep(name: string, duration: Duration): Step<void> {
  const isNumber = typeof duration === "number";
  if (!isNumber && typeof duration !== "string") {
    throw new WorkflowError(`step ${JSON.stringify(name)} needs a duration, such as "30s"`);
  }
  if (isNumber ? !(duration >= 0 && Number.isFinite(duration)) : duration === "") {
    throw new WorkflowError(`the duration of step ${JSON.stringify(name)} must be 0 or more`);
  }
  return {
    name,
    type: "SleepFor",
    fields: { sleepFor: duration },
    timing: { "Svc-Delay": durationText(duration) },
    read: () => undefined,
  };
}

export function sleepUntilStep(name: string, instant: Instant | string): Step<void> {
  const seconds = instantText(typeof instant === "string" ? new Date(instant) : instant)!;
  if (!/^\d+$/.test(seconds)) {
    throw new WorkflowError(
      `the instant of step ${JSON.stringify(name)} is no date or unix seconds`,
    );
  }
  return {
    name,
    type: "SleepUntil",
    fields: { sleepUntil: Number(seconds) },
    timing: { "Svc-Not-Before": seconds },
    read: () => undefined,
  };
}
