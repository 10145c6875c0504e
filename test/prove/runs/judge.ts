import { mostAtOnce } from "../line-judge.ts";
import type { Known } from "./clients.ts";
import { KEYS, type RunPlan, type StepPlan, stepsOf } from "./plan.ts";
import type { Stored, StoredRun } from "./stored.ts";
import type { StepSeen, Witness } from "./witness.ts";
import { childResult, FIRST_STEP } from "./workflow.ts";

/** What the clients learned that decides how a run may have ended. */
export interface Learned {
  /** Whether a cancel came in time, by run. */
  readonly canceled: ReadonlyMap<string, Known>;
  /** Whether an event reached its waiter before the time was over, by run and step. */
  readonly woken: ReadonlyMap<string, Known>;
}

export const stepKey = (runId: string, name: string): string => `${runId} ${name}`;

/** Whatever is not as it should be, when all runs have ended; nothing, if all is well. */
export function faultsOf(
  plans: readonly RunPlan[],
  stored: Stored,
  witness: Witness,
  learned: Learned,
): string[] {
  const byId = Map.groupBy(stored.runs, ({ runId }) => runId);
  const children = Map.groupBy(stored.runs, ({ invokerId }) => invokerId ?? "");
  const names = entryNames(stored);
  const faults = plans.flatMap((plan) => {
    const [run, ...others] = byId.get(plan.runId) ?? [];
    if (run === undefined) return [`${plan.runId} is not there`];
    if (others.length > 0) return [`${plan.runId} was started ${1 + others.length} times`];
    return [
      ...endFaults(plan, run, learned),
      ...recordFaults(plan, run, names),
      ...childFaults(plan, run, children.get(plan.runId) ?? []),
    ];
  });
  const planned = new Set(plans.map(({ runId }) => runId));
  const strangers = stored.runs.filter(
    ({ runId, invokerId }) => !planned.has(runId) && !planned.has(invokerId ?? ""),
  );
  return [
    ...faults,
    ...strangers.map(({ runId }) => `nobody started ${runId}`),
    ...deathFaults(stored, witness),
    ...againFaults("done", witness.works),
    ...againFaults("called", witness.calls),
    ...crowdFaults(witness),
    ...Object.entries(stored.left)
      .filter(([, count]) => count > 0)
      .map(([name, count]) => `${count} ${name} are left`),
  ];
}

/** The run is in a state that it may be in, and returned what it should. */
function endFaults(plan: RunPlan, run: StoredRun, learned: Learned): string[] {
  const allowed = endsOf(plan, learned.canceled.get(plan.runId) ?? "no");
  const { runId, phase, response } = run;
  if (!allowed.includes(phase)) return [`${runId} is ${phase}, and not ${allowed.join(" or ")}`];
  if (phase !== "success") return response === null ? [] : [`${runId} is ${phase} with a result`];
  const values = JSON.parse(response ?? "[]") as unknown[];
  return stepsOf(plan).flatMap(({ name, step }, index) => {
    const wanted = valuesOf(step, learned.woken.get(stepKey(runId, name)) ?? "no");
    const value = values[index];
    return wanted.includes(value)
      ? []
      : [`${runId} ${name} came to ${JSON.stringify(value)}, not ${wanted.join(" or ")}`];
  });
}

function endsOf({ ending }: RunPlan, canceled: Known): StoredRun["phase"][] {
  switch (ending) {
    case "returns":
      return ["success"];
    case "throws":
    case "gives-up":
      return ["failed"];
    case "cancels-itself":
    case "is-canceled":
      return ["canceled"];
    case "is-overtaken":
      if (canceled === "unknown") return ["success", "canceled"];
      return [canceled === "yes" ? "canceled" : "success"];
  }
}

function valuesOf(step: StepPlan, woken: Known): unknown[] {
  switch (step.kind) {
    case "work":
    case "call":
    case "event":
      return [step.value];
    case "sleep":
      return ["slept"];
    case "lapse":
      return [TIMED_OUT];
    case "race":
      if (woken === "unknown") return [step.value, TIMED_OUT];
      return [woken === "yes" ? step.value : TIMED_OUT];
    case "invoke":
      return [step.fails ? "failed" : childResult(step)];
  }
}

/** Each step is recorded once, and all of them if the run came to its end; so are plans of groups. */
function recordFaults(plan: RunPlan, { phase }: StoredRun, names: EntryNames): string[] {
  const steps = [FIRST_STEP, ...stepsOf(plan).map(({ name }) => name)];
  const grouped = plan.stages.flatMap((stage, stageIndex) =>
    stage.length === 1 ? [] : stage.map((_, index) => `${stageIndex}.${index}`),
  );
  return (["result", "plan"] as const).flatMap((kind) => {
    const expected = kind === "result" ? steps : grouped;
    const recorded = names.get(stepKey(plan.runId, kind)) ?? [];
    const isWhole = phase !== "success" || recorded.length === expected.length;
    const isOnce = new Set(recorded).size === recorded.length;
    const isKnown = recorded.every((name) => expected.includes(name));
    return isWhole && isOnce && isKnown
      ? []
      : [`${plan.runId} recorded ${recorded.join(" ")} as ${kind} of ${expected.join(" ")}`];
  });
}

/** An invoked run is started once for its step, and ends as it was asked to. */
function childFaults(
  plan: RunPlan,
  { phase }: StoredRun,
  children: readonly StoredRun[],
): string[] {
  return stepsOf(plan).flatMap(({ name, step }) => {
    const own = children.filter(({ invokerStep }) => invokerStep === name);
    if (step.kind !== "invoke") {
      return own.length === 0 ? [] : [`${plan.runId} ${name} invoked something`];
    }
    const isEnough = own.length === 1 || (own.length === 0 && phase !== "success");
    if (!isEnough) return [`${plan.runId} ${name} invoked ${own.length} runs`];
    const wanted = step.fails ? "failed" : "success";
    return own
      .filter((child) => child.phase !== wanted)
      .map((child) => `${child.runId}, invoked by ${plan.runId}, is ${child.phase}`);
  });
}

/** Failed runs, and no others, are dead letters, once, and their failure was reported. */
function deathFaults({ runs, dead }: Stored, { reports }: Witness): string[] {
  const failed = runs.filter(({ phase }) => phase === "failed");
  const failedIds = new Set(failed.map(({ runId }) => runId));
  const reported = new Set(reports);
  return [
    ...dead.filter((runId) => !failedIds.has(runId)).map((id) => `${id} is dead, but not failed`),
    ...failed
      .filter(({ runId }) => dead.filter((id) => id === runId).length !== 1)
      .map(({ runId }) => `${runId} failed, and is not one dead letter`),
    ...failed
      .filter(({ runId, report }) => report !== "success" || !reported.has(runId))
      .map(({ runId, report }) => `the failure of ${runId} was not reported: ${report}`),
    ...[...reported].filter((id) => !failedIds.has(id)).map((id) => `${id} reported, not failed`),
  ];
}

/**
 * What brings a step about is one message, which may come again. A second message would mean that
 * a group was joined twice, or that a step was.
 */
function againFaults(what: string, seen: readonly StepSeen[]): string[] {
  const bySteps = Map.groupBy(seen, ({ runId, name }) => stepKey(runId, name));
  return [...bySteps].flatMap(([key, own]) => {
    const messages = new Set(own.map(({ messageId }) => messageId));
    return messages.size === 1 ? [] : [`${key} was ${what} for ${[...messages].join(", ")}`];
  });
}

function crowdFaults({ visits }: Witness): string[] {
  return KEYS.flatMap(({ key, parallelism }) => {
    const crowd = mostAtOnce(visits.filter((visit) => visit.key === key));
    return crowd > parallelism ? [`${key}: ${crowd} at once`] : [];
  });
}

type EntryNames = ReadonlyMap<string, readonly string[]>;

/** Names of entries by run and kind. */
function entryNames({ entries }: Stored): EntryNames {
  const names = new Map<string, string[]>();
  for (const { runId, kind, name } of entries) {
    const key = stepKey(runId, kind);
    const known = names.get(key);
    if (known === undefined) names.set(key, [name]);
    else known.push(name);
  }
  return names;
}

const TIMED_OUT = "timed out";
