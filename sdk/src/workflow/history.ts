import { textFromBase64 } from "../base64.ts";
import { WorkflowError } from "./errors.ts";
import type { StepRecord } from "./step-record.ts";

/** An entry of a run as delivered; the first holds the payload, the others steps. */
export interface RunEntry {
  readonly messageId: string;
  readonly callType: string;
  /** Base64. */
  readonly body?: string;
}

/** Steps that were called at once; a single step is a group of one. */
export interface Group {
  readonly size: number;
  readonly isComplete: boolean;
}

/**
 * The history of a run in a delivery: its entries up to the delivered one, without later ones. The
 * last entry is the one to act on.
 */
export class History {
  /** The step that the last entry asks for, if it is a plan. */
  readonly target: number | undefined;
  /** True if the last entry repeats an earlier one. */
  readonly repeatsItself: boolean;
  /** The highest known step. */
  readonly lastStep: number;
  readonly #results = new Map<number, StepRecord>();
  readonly #plans = new Map<number, StepRecord>();

  constructor(records: readonly StepRecord[]) {
    let isRepeated = false;
    let lastStep = 0;
    for (const record of records) {
      const { targetStep, stepId } = record;
      const [known, id] = targetStep ? [this.#plans, targetStep] : [this.#results, stepId];
      lastStep = Math.max(lastStep, id);
      isRepeated = known.has(id);
      if (!isRepeated) known.set(id, record);
    }
    this.lastStep = lastStep;
    this.repeatsItself = isRepeated;
    this.target = records.at(-1)?.targetStep || undefined;
  }

  static of(entries: readonly RunEntry[]): History {
    const steps = entries.slice(1).filter(({ callType }) => callType === "step");
    return new History(steps.map(({ body = "" }) => readRecord(body)));
  }

  result(stepId: number): StepRecord | undefined {
    return this.#results.get(stepId);
  }

  /** Its result, or at least its plan. */
  record(stepId: number): StepRecord | undefined {
    return this.#results.get(stepId) ?? this.#plans.get(stepId);
  }

  /** The group that begins with a step, if it is recorded. */
  groupAt(stepId: number): Group | undefined {
    const size = this.record(stepId)?.concurrent;
    if (size === undefined) return undefined;
    for (let id = stepId; id < stepId + size; id++) {
      if (!this.#results.has(id)) return { size, isComplete: false };
    }
    return { size, isComplete: true };
  }
}

function readRecord(body: string): StepRecord {
  try {
    const record = JSON.parse(textFromBase64(body)) as StepRecord;
    if (Number.isInteger(record.stepId) && record.concurrent >= 1) return record;
  } catch {
    // Reported below: unreadable and meaningless are the same to the caller.
  }
  throw new WorkflowError("the delivery holds a step that cannot be read");
}
