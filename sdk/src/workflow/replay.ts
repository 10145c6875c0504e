import { turn } from "../runtime.ts";
import { NestedStepError, StepMismatchError } from "./errors.ts";
import type { Group, History } from "./history.ts";
import type { Step } from "./step.ts";
import type { StepRecord } from "./step-record.ts";
import { RunEnded, type Submission } from "./submission.ts";

/** The result of one delivery. */
export type Outcome =
  | { readonly kind: "submitted" }
  /** One of several parallel steps has ended, and others have not. */
  | { readonly kind: "discarded" }
  | { readonly kind: "finished"; readonly result: unknown }
  /** The function returned before it called a step. */
  | { readonly kind: "refused" }
  | { readonly kind: "cancelled" }
  /** The run had ended in the meantime. */
  | { readonly kind: "ended" }
  | { readonly kind: "failed"; readonly error: unknown; readonly stepName?: string };

/** The interface through which a context calls steps. */
export interface Steps {
  /** True while the function calls steps that are already recorded. */
  readonly isReplaying: boolean;
  call<Result>(step: Step<Result>): Promise<Result>;
  cancel(): Promise<never>;
}

interface Called {
  readonly stepId: number;
  readonly step: Step;
  readonly resolve: (result: unknown) => void;
}

/**
 * Runs the function of a workflow over the history of a run. Recorded steps get their results at
 * once. At the first that is not recorded, one step is done and submitted, and the delivery is
 * over: the promise that the function waits for never settles, so none of its catch and finally
 * blocks runs.
 */
export class Replay implements Steps {
  readonly #history: History;
  readonly #submission: Submission;
  #count = 0;
  /** Called, and without a result so far; all of one group. */
  #waiting: Called[] = [];
  /** The record of that group. */
  #group: Group | undefined;
  #isNextScheduled = false;
  #performing: string | undefined;
  #settle!: (outcome: Outcome) => void;
  #isSettled = false;
  readonly #outcome = new Promise<Outcome>((resolve) => {
    this.#settle = (outcome) => {
      this.#isSettled = true;
      resolve(outcome);
    };
  });

  constructor(history: History, submission: Submission) {
    this.#history = history;
    this.#submission = submission;
  }

  get isReplaying(): boolean {
    return this.#count < this.#history.lastStep;
  }

  /** Runs the function as far as it goes in this delivery. */
  follow(workflow: () => unknown): Promise<Outcome> {
    void this.#follow(workflow);
    return this.#outcome;
  }

  call<Result>(step: Step<Result>): Promise<Result> {
    if (this.#performing !== undefined) {
      const inside = JSON.stringify(this.#performing);
      const error = new NestedStepError(
        `step ${JSON.stringify(step.name)} is called inside step ${inside}; steps stand beside each other`,
      );
      this.#settle({ kind: "failed", error, stepName: this.#performing });
      return Promise.reject(error);
    }
    const stepId = ++this.#count;
    const mismatch = mismatchOf(stepId, step, this.#history.record(stepId));
    if (mismatch !== undefined) this.#settle({ kind: "failed", error: mismatch });
    return new Promise((resolve) => {
      if (this.#waiting.length === 0) this.#group = this.#history.groupAt(stepId);
      this.#waiting.push({ stepId, step, resolve: resolve as (result: unknown) => void });
      if (!this.#resolveRecorded()) this.#scheduleNext();
    });
  }

  async cancel(): Promise<never> {
    try {
      await this.#submission.cancel();
      this.#settle({ kind: "cancelled" });
    } catch (error) {
      this.#settle({ kind: "failed", error });
    }
    return new Promise<never>(() => {});
  }

  async #follow(workflow: () => unknown): Promise<void> {
    try {
      const result = await workflow();
      // Steps that the function did not wait for are steps too.
      await turn();
      if (this.#waiting.length > 0 || this.#performing !== undefined) return;
      this.#settle(this.#returned(result));
    } catch (error) {
      this.#settle({ kind: "failed", error });
    }
  }

  #returned(result: unknown): Outcome {
    if (this.#count === 0) return { kind: "refused" };
    if (this.#count >= this.#history.lastStep) return { kind: "finished", result };
    const missing = this.#history.record(this.#count + 1)?.stepName;
    const error = new StepMismatchError(
      `the function returned after ${this.#count} steps, but the run has recorded step ` +
        `${this.#count + 1}, ${JSON.stringify(missing)}, too; ${ADVICE}`,
    );
    return { kind: "failed", error };
  }

  /** Gives a group its results once all of it was called, in the order of the calls. */
  #resolveRecorded(): boolean {
    const group = this.#group;
    if (this.#isSettled || !group?.isComplete || this.#waiting.length < group.size) return false;
    const called = this.#waiting;
    this.#waiting = [];
    for (const { stepId, step, resolve } of called) {
      try {
        resolve(step.read(this.#history.result(stepId)!));
      } catch (error) {
        this.#settle({ kind: "failed", error, stepName: step.name });
      }
    }
    return true;
  }

  /** Continues once the function cannot go further by itself. */
  #scheduleNext(): void {
    if (this.#isNextScheduled) return;
    this.#isNextScheduled = true;
    void turn().then(() => {
      this.#isNextScheduled = false;
      return this.#next();
    });
  }

  async #next(): Promise<void> {
    const called = this.#waiting;
    if (this.#isSettled || called.length === 0 || this.#performing !== undefined) return;
    const group = this.#group;
    const { target } = this.#history;
    if (group !== undefined && group.size !== called.length) {
      this.#settle({ kind: "failed", error: sizeMismatch(called, group.size) });
    } else if (group === undefined && called[0]!.stepId <= this.#history.lastStep) {
      this.#settle({ kind: "failed", error: sizeMismatch(called, 0) });
    } else if (group === undefined) {
      await (called.length === 1 ? this.#perform(called[0]!, 1) : this.#plan(called));
    } else if (target === undefined) {
      this.#settle({ kind: "discarded" });
    } else {
      const planned = called.find(({ stepId }) => stepId === target);
      if (planned === undefined) this.#settle({ kind: "failed", error: sizeMismatch(called, 0) });
      else await this.#perform(planned, group.size);
    }
  }

  async #perform({ stepId, step }: Called, concurrent: number): Promise<void> {
    this.#performing = step.name;
    await this.#attempt(step.name, async () => {
      const worked = await step.perform?.(this.#submission);
      if (this.#isSettled) return;
      const named = { stepId, stepName: step.name, stepType: step.type, concurrent };
      const record = { ...named, ...step.fields, ...worked };
      if (step.open !== undefined) await step.open(record, this.#submission);
      else if (concurrent > 1 || step.timing === undefined)
        await this.#submission.record([{ record }]);
      else await this.#submission.record([{ record, timing: step.timing }]);
    });
  }

  /** Parallel steps are planned first; each plan is then delivered to have its step done. */
  async #plan(called: readonly Called[]): Promise<void> {
    await this.#attempt(undefined, () =>
      this.#submission.record(
        called.map(({ stepId, step }) => {
          const named = { stepId: 0, stepName: step.name, stepType: step.type };
          const planned = { concurrent: called.length, targetStep: stepId };
          const record: StepRecord = { ...named, ...planned, ...step.fields };
          return { record, ...(step.timing !== undefined && { timing: step.timing }) };
        }),
      ),
    );
  }

  async #attempt(stepName: string | undefined, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#settle({ kind: "submitted" });
    } catch (error) {
      if (error instanceof RunEnded) this.#settle({ kind: "ended" });
      else this.#settle({ kind: "failed", error, ...(stepName !== undefined && { stepName }) });
    }
  }
}

function mismatchOf(
  stepId: number,
  { name, type }: Step,
  recorded: StepRecord | undefined,
): StepMismatchError | undefined {
  if (recorded === undefined || (recorded.stepName === name && recorded.stepType === type)) {
    return undefined;
  }
  return new StepMismatchError(
    `step ${stepId} of the run is recorded as ${recorded.stepType} ${JSON.stringify(recorded.stepName)}, ` +
      `but the function now calls ${type} ${JSON.stringify(name)}; ${ADVICE}`,
  );
}

function sizeMismatch(called: readonly Called[], size: number): StepMismatchError {
  const names = called.map(({ step }) => JSON.stringify(step.name)).join(", ");
  return new StepMismatchError(
    `from step ${called[0]!.stepId} on the run has recorded ${size} steps at once, ` +
      `but the function now calls ${called.length}: ${names}; ${ADVICE}`,
  );
}

const ADVICE = "a run can only go on if the function calls the same steps in the same order";
