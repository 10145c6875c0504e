/** Runs drawn at random: what each does, how it is to end, and what it is to return. */
import type { FlowControl } from "../../../sdk/src/settings.ts";
import { generator } from "../../support/random-workflows.ts";

export type StepPlan =
  /** Does something; one that stumbles throws when it is tried first. */
  | { readonly kind: "work"; readonly value: number; readonly stumbles: boolean }
  | { readonly kind: "sleep" }
  /** A third party is called, and refuses so often before it answers. */
  | { readonly kind: "call"; readonly value: number; readonly refusals: number }
  /** Waits for an event that comes: for this run alone, or for every waiter. */
  | { readonly kind: "event"; readonly value: number; readonly to: "run" | "all" }
  /** Waits for an event that never comes. */
  | { readonly kind: "lapse" }
  /** The event comes at about the moment when the time is over. */
  | { readonly kind: "race"; readonly value: number }
  | { readonly kind: "invoke"; readonly value: number; readonly fails: boolean };

export type Ending =
  | "returns"
  /** Throws to the last, or says that it need not be tried again. */
  | "throws"
  | "gives-up"
  | "cancels-itself"
  /** Waits without end until it is canceled. */
  | "is-canceled"
  /** It is canceled while it is busy, perhaps too late. */
  | "is-overtaken";

export interface RunPlan {
  readonly runId: string;
  /** Which SDK serves it: ours, or the public one. */
  readonly sdk: "own" | "public";
  readonly key: FlowControl | null;
  /** One after the other; the steps of a stage side by side. */
  readonly stages: readonly (readonly StepPlan[])[];
  readonly ending: Ending;
  /** From the trigger until it is canceled, where it is. */
  readonly cancelAfterMs: number;
  /** Who is told when it fails: its endpoint, or a URL. */
  readonly reportTo: "endpoint" | "url";
}

/** Keys that hold back steps of runs, each with its parallelism. */
export const KEYS: readonly (FlowControl & { readonly parallelism: number })[] = [
  { key: "one-at-a-time", parallelism: 1 },
  { key: "two-at-a-time", parallelism: 2 },
  { key: "four-at-a-time", parallelism: 4 },
];

export function drawPlans(count: number, seed: number): RunPlan[] {
  const random = generator(seed);
  return Array.from({ length: count }, (_, number) => drawPlan(`wfr_${seed}-${number}`, random));
}

function drawPlan(runId: string, random: () => number): RunPlan {
  const below = (limit: number): number => Math.floor(random() * limit);
  return {
    runId,
    sdk: random() < 0.7 ? "own" : "public",
    key: pick(KEYED, random()),
    stages: Array.from({ length: 1 + below(3) }, () => {
      const isGroup = random() < 0.35;
      return Array.from({ length: isGroup ? 2 + below(3) : 1 }, () => drawStep(random));
    }),
    ending: pick(ENDINGS, random()),
    cancelAfterMs: below(4_000),
    reportTo: random() < 0.5 ? "endpoint" : "url",
  };
}

function drawStep(random: () => number): StepPlan {
  const value = Math.floor(random() * 1_000);
  const kind = pick(STEPS, random());
  switch (kind) {
    case "work":
      return { kind, value, stumbles: random() < 0.1 };
    case "call":
      return { kind, value, refusals: random() < 0.2 ? 1 : 0 };
    case "event":
      return { kind, value, to: random() < 0.5 ? "run" : "all" };
    case "invoke":
      return { kind, value, fails: random() < 0.2 };
    case "race":
      return { kind, value };
    case "sleep":
    case "lapse":
      return { kind };
  }
}

/** Of names with shares that sum to one, the one whose share a number falls into. */
function pick<Name>(shares: readonly (readonly [Name, number])[], drawn: number): Name {
  let sum = 0;
  const found = shares.find(([, share]) => drawn < (sum += share));
  return (found ?? shares[0]!)[0];
}

/** The lower the limit of a key, the fewer runs use it, so that the others need not wait. */
const KEYED: readonly (readonly [RunPlan["key"], number])[] = [
  [KEYS[0]!, 0.02],
  [KEYS[1]!, 0.04],
  [KEYS[2]!, 0.06],
  [null, 0.88],
];
const STEPS: readonly (readonly [StepPlan["kind"], number])[] = [
  ["work", 0.5],
  ["sleep", 0.1],
  ["call", 0.12],
  ["event", 0.1],
  ["lapse", 0.05],
  ["race", 0.05],
  ["invoke", 0.08],
];
const ENDINGS: readonly (readonly [Ending, number])[] = [
  ["returns", 0.76],
  ["throws", 0.05],
  ["gives-up", 0.05],
  ["cancels-itself", 0.03],
  ["is-canceled", 0.05],
  ["is-overtaken", 0.06],
];

/** Every step of a plan with the name it has in its run. */
export function stepsOf({ stages }: RunPlan): { readonly name: string; readonly step: StepPlan }[] {
  return stages.flatMap((stage, stageIndex) =>
    stage.map((step, index) => ({ name: stepName(stageIndex, index), step })),
  );
}

export const stepName = (stageIndex: number, index: number): string => `${stageIndex}.${index}`;

/** Events have names of their own, so that each has one who waits for it. */
export const eventName = ({ runId }: { readonly runId: string }, name: string): string =>
  `${runId}@${name}`;
