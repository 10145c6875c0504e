import { type Known, pause, type RunClients } from "./clients.ts";
import { type Learned, stepKey } from "./judge.ts";
import { type RunPlan, type StepPlan, stepsOf } from "./plan.ts";
import type { RunDatabase } from "./stored.ts";

/** Takes runs from their trigger to their end: sends the events they wait for, and cancels. */
export class RunLeader implements Learned {
  readonly canceled = new Map<string, Known>();
  readonly woken = new Map<string, Known>();
  readonly #clients: RunClients;
  readonly #open = new Set<string>();
  readonly #errands: Promise<void>[] = [];

  constructor(clients: RunClients) {
    this.#clients = clients;
  }

  /** Runs that were triggered and have not ended, as far as is known. */
  get openCount(): number {
    return this.#open.size;
  }

  /** Resolves once the run was triggered; all else goes on beside. */
  async lead(plan: RunPlan): Promise<void> {
    this.#open.add(plan.runId);
    await this.#clients.trigger(plan);
    const errands = stepsOf(plan).map(({ name, step }) => this.#bring(plan, name, step));
    if (plan.ending === "is-canceled" || plan.ending === "is-overtaken") {
      errands.push(this.#cancel(plan));
    }
    for (const errand of errands) {
      // What goes wrong is told when all is over.
      errand.catch(() => undefined);
      this.#errands.push(errand);
    }
  }

  /** Resolves once there is nothing more to send. */
  async finish(): Promise<void> {
    await Promise.all(this.#errands);
  }

  /** Looks now and then which runs have ended. */
  async watch(database: RunDatabase, signal: AbortSignal): Promise<void> {
    let since = 0;
    while (!signal.aborted) {
      // A row may become visible a while after the instant that is written in it.
      for (const { runId, endedAt } of await database.endedSince(since - 30_000)) {
        this.#open.delete(runId);
        since = Math.max(since, endedAt);
      }
      await pause(250);
    }
  }

  async #bring(plan: RunPlan, name: string, step: StepPlan): Promise<void> {
    if (step.kind === "race") return this.#race(plan, name, step.value);
    if (step.kind !== "event") return;
    await pause(Math.random() * 2_000);
    if (step.to === "run") return this.#clients.notifyRun(plan, name, step.value);
    while (this.#open.has(plan.runId)) {
      if ((await this.#clients.notifyAll(plan, name, step.value)) === "yes") return;
      await pause(300 + Math.random() * 500);
    }
  }

  /** Sends the event when the time is about to be over, and remembers whether it was in time. */
  async #race(plan: RunPlan, name: string, value: number): Promise<void> {
    const key = stepKey(plan.runId, name);
    while (this.#open.has(plan.runId)) {
      const deadlineAt = await this.#clients.deadlineAt(plan, name);
      if (deadlineAt === null) {
        await pause(200);
        continue;
      }
      // It is told in whole seconds.
      await pause(deadlineAt + Math.random() * 1_200 - Date.now());
      const known = await this.#clients.notifyAll(plan, name, value);
      // What got no answer may have woken it nevertheless.
      const isUnsure = known === "no" && this.woken.get(key) === "unknown";
      this.woken.set(key, isUnsure ? "unknown" : known);
      if (known !== "unknown") return;
    }
  }

  async #cancel(plan: RunPlan): Promise<void> {
    await pause(plan.cancelAfterMs);
    this.canceled.set(plan.runId, await this.#clients.cancel(plan));
  }
}
