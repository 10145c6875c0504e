/**
 * A workflow that fails until a service it depends on is repaired, written so that either SDK can
 * run it.
 */
import { does, type Outside, type Steps } from "./every-kind.ts";

export interface MendedPayload {
  /** The same for a run and for those that take it up again. */
  readonly key: string;
}

export async function mended(
  steps: Steps,
  { key }: MendedPayload,
  outside: Outside,
): Promise<unknown> {
  const { workflowRunId: runId } = steps;
  const first = await steps.run("first", () => does(outside, runId, "first", 1));
  const [beside, fragile, told] = await Promise.all([
    steps.run("beside", () => does(outside, runId, "beside", 2)),
    steps.run("fragile", () => dependsOn(outside, key)),
    steps.waitForEvent("told", `told-${key}`, { timeout: 3_600 }),
  ]);
  const last = await steps.run("last", () => does(outside, runId, "last", 4));
  return { first, beside, fragile, told: told.eventData, last };
}

export const MENDED_RESULT = { first: 1, beside: 2, fragile: 3, told: { told: true }, last: 4 };

/** What is stored of a run that was taken up again, or begun anew, and came to its end. */
export const MENDED_ENTRIES = [
  "payload",
  ...[2, 3, 4].map((step) => `p:${step}`),
  "o:4",
  ...[1, 2, 3, 4, 5].map((step) => `r:${step}`),
];

async function dependsOn(outside: Outside, key: string): Promise<number> {
  const answer = await fetch(`${outside}/mended`, {
    method: "POST",
    body: JSON.stringify({ runId: key }),
  });
  const { isMended } = (await answer.json()) as { isMended: boolean };
  if (!isMended) throw new Error("not mended yet");
  return 3;
}
