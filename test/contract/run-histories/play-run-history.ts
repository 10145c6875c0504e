import assert from "node:assert/strict";
import type { RunRef, RunKey } from "../../../src/core/model/workflow/run.ts";
import type { LeasedMessage } from "../../../src/store/store.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { aMessage, bytes, START_AT } from "../../support/messages.ts";
import { anEnd, anItem, aNotify, aStart, aStep, aWait, refOf } from "../../support/runs.ts";
import type { StoreKind } from "../../support/stores.ts";
import { plain } from "../histories/compare.ts";
import { Scene } from "../scene.ts";
import { compareRuns } from "./compare-runs.ts";
import { type ModelRun, ModelRuns } from "./model-runs.ts";
import { type RunActStep, RUNS, type RunStep } from "./run-step.ts";

/** How often each kind of end was come to. */
export type Reached = Map<string, number>;

/** Plays steps on a store and on the model: every answer, and all that is there at the end, is alike. */
export async function playRunHistory(
  kind: StoreKind,
  steps: readonly RunStep[],
  reached: Reached,
): Promise<void> {
  const clock = new ManualClock(START_AT);
  const opened = await kind.open(clock);
  try {
    const history = new RunHistory(new Scene(opened.store, clock), reached);
    for (const step of steps) await history.take(step);
    await compareRuns(opened.store, history.model);
  } finally {
    await opened.close();
  }
}

class RunHistory {
  readonly #scene: Scene;
  readonly #reached: Reached;
  readonly model = new ModelRuns();
  readonly #leased: LeasedMessage[] = [];
  /** First deliveries that were accepted by runs which had gained nothing. */
  readonly #toFail = new Set<string>();
  #messages = 0;

  constructor(scene: Scene, reached: Reached) {
    this.#scene = scene;
    this.#reached = reached;
  }

  async take(step: RunStep): Promise<void> {
    if (step.do === "pass") return this.#scene.clock.advance(step.ms);
    if (step.do === "claim") return this.#claim();
    if (step.do === "settle") return this.#settle(step.which, step.isGood);
    const asked = step.acts.map((act) => this.#ask(act));
    const answers = await Promise.all(asked.map(({ answer }) => answer));
    for (const [index, { expected }] of asked.entries()) {
      assert.deepEqual(plain(answers[index]), expected(), JSON.stringify(step.acts[index]));
    }
  }

  /** An act, and what the model answers to it once those before it were written. */
  #ask(step: RunActStep): { answer: Promise<unknown>; expected: () => unknown } {
    switch (step.do) {
      case "start":
        return this.#start(step.run);
      case "append":
        return this.#append(step);
      case "wait":
        return this.#wait(step);
      case "notify":
        return this.#notify(step);
      case "time-out":
        return this.#timeOut(step);
      case "invoke":
        return this.#invoke(step);
      case "end":
        return this.#end(step);
    }
  }

  /** The run is read beforehand, since the act that ends it must name its waiters. */
  #end({ run, phase }: Extract<RunActStep, { do: "end" }>) {
    const found = this.model.active(run);
    if (found === undefined) return { answer: Promise.resolve("absent"), expected: () => "absent" };
    const { createdAt, invoker: waits } = found;
    const ref = { ...refOf(run), createdAt };
    const invoker = waits && { ...keyOf(waits.run), stepId: waits.stepId };
    const invokerMessageId = this.#drawId();
    const answer = this.#scene.act(
      anEnd(this.#scene.now, phase, { ref, invoker, invokerMessageId }),
    );
    const expected = (): string =>
      this.model.end(this.model.active(run, createdAt), phase, invokerMessageId);
    return { answer: this.#note(phase, "ended", answer), expected };
  }

  #invoke({ run, old, stepId, child }: Extract<RunActStep, { do: "invoke" }>) {
    const { now: at } = this.#scene;
    const ref = this.#refOf(run, old);
    const [messageId, openId, ownId] = [this.#drawId(), this.#drawId(), this.#drawId()];
    const invoker = {
      ref,
      step: { ...aStep(stepId), stepType: "Invoke" },
      requested: aMessage({ messageId: ownId, kind: "step", url: URL }),
      messageId: openId,
    };
    const requested = aMessage({ messageId, kind: "step", url: URL });
    const start = aStart({ runId: child, createdAt: at }, { at, requested, invoker });
    const answer = this.#scene.act(start);
    const expected = (): object => {
      const parent = this.model.active(run, ref.createdAt);
      if (parent === undefined) return { kind: "ended" };
      const invocation = { runId: child, stepId, at, messageId, openId };
      const started = this.model.invoke(parent, invocation);
      this.#count(started.deduplicated ? "not invoked" : "invoked");
      return { kind: "started", ...started, leased: false };
    };
    return { answer, expected };
  }

  #start(runId: string) {
    const { now } = this.#scene;
    const messageId = this.#drawId();
    const requested = aMessage({ messageId, kind: "step", url: URL });
    const answer = this.#scene.act(aStart({ runId, createdAt: now }, { at: now, requested }));
    const expected = (): object => ({
      kind: "started",
      ...this.model.start(runId, now, messageId),
      leased: false,
    });
    return { answer, expected };
  }

  #append({ run, old, items }: Extract<RunActStep, { do: "append" }>) {
    const ref = this.#refOf(run, old);
    const made = items.map(({ kind, stepId }) => anItem(this.#drawId(), stepId, { kind }));
    const answer = this.#scene.act({ rule: "append", at: this.#scene.now, ref, items: made });
    const expected = (): object => {
      const active = this.model.active(run, ref.createdAt);
      if (active === undefined) return { kind: "ended" };
      const named = made.map(({ stepKey, requested }) => ({
        what: stepKey,
        messageId: requested.messageId,
      }));
      const submitted = this.model.append(active, named);
      return { kind: "appended", items: submitted.map((one) => ({ ...one, leased: false })) };
    };
    return { answer, expected };
  }

  #wait({ run, old, stepId, eventId, timeoutMs }: Extract<RunActStep, { do: "wait" }>) {
    const { now } = this.#scene;
    const ref = this.#refOf(run, old);
    const [messageId, resultId] = [this.#drawId(), this.#drawId()];
    const made = aWait({ ...KEY, runId: run, eventId, stepId }, now, timeoutMs);
    const waiter = { ...made.waiter, messageId };
    const answer = this.#scene.act({ ...made, ref, waiter, resultId });
    const expected = (): object => {
      const active = this.model.active(run, ref.createdAt);
      if (active === undefined) return { kind: "ended" };
      const wait = { stepId, eventId, deadlineAt: now + timeoutMs, messageId, resultId };
      return { kind: "waiting", ...this.model.wait(active, wait), leased: false };
    };
    return { answer, expected };
  }

  #notify({ run, eventId }: Extract<RunActStep, { do: "notify" }>) {
    const data = this.#drawId();
    const names = run === null ? RUNS : [run];
    const isKept = run !== null;
    const messageIds = Array.from({ length: 12 }, () => this.#drawId());
    const refs = names.map((runId) => refOf(runId));
    const body = bytes(data);
    const sent = this.#scene.act(
      aNotify(this.#scene.now, eventId, { refs, body, messageIds, isKept }),
    );
    const answer = sent.then(({ notified: told, kept, refused }) => {
      if (told.length > 0) this.#count("told");
      if (kept > 0) this.#count("kept");
      const steps = told.map(({ waiter }) => ({ runId: waiter.runId, stepId: waiter.stepId }));
      return { told: steps, kept, refused };
    });
    const expected = (): object => {
      const runs = names.map((runId) => this.model.active(runId));
      return this.model.notify(runs, eventId, data, messageIds, isKept);
    };
    return { answer, expected };
  }

  #timeOut({ run, old, stepId, eventId }: Extract<RunActStep, { do: "time-out" }>) {
    const { now: at } = this.#scene;
    const createdAt =
      this.#refOf(run, old).createdAt ?? this.model.latest(run)?.createdAt ?? START_AT;
    const messageId = this.#drawId();
    const key = { accountId: "account", runId: run, createdAt, eventId, stepId };
    const answer = this.#scene.act({ rule: "time-out-wait", at, key, messageId });
    const expected = (): string => {
      const active = this.model.active(run, createdAt);
      return this.model.timeOut(active, { eventId, stepId }, at, messageId);
    };
    return { answer: this.#note("timed out", "timed-out", answer), expected };
  }

  /** All that waits is leased, and nothing else. */
  async #claim(): Promise<void> {
    const leased = await this.#scene.claim();
    const waiting = this.model.all.flatMap((run) => [...run.waiting]);
    const ids = leased.map(({ lease }) => lease.messageId);
    assert.deepEqual(ids.toSorted(), waiting.toSorted(), "what was leased");
    this.#leased.push(...leased);
    for (const run of this.model.all) {
      for (const messageId of run.waiting) run.underWay.add(messageId);
      run.waiting.clear();
    }
  }

  async #settle(which: number, isGood: boolean): Promise<void> {
    const [leased] = this.#leased.splice(which % Math.max(1, this.#leased.length), 1);
    if (leased === undefined) return;
    const { messageId } = leased.lease;
    const run = this.model.all.find(({ underWay }) => underWay.has(messageId))!;
    const isFirst = messageId === run.entries[0]?.messageId;
    if (isGood && isFirst) return this.#settleFirst(leased, run);
    if (isGood || leased.message.kind !== "step") {
      await this.#scene.deliver(leased);
      run.underWay.delete(messageId);
      return;
    }
    if (run.phase === "started") this.#count("failed");
    const invokerMessageId = this.#drawId();
    await this.#scene.settle(leased, { verdict: { kind: "dead" }, follow: { invokerMessageId } });
    this.model.die(run, messageId, `${messageId}-failure`, invokerMessageId);
  }

  /** A run that has gained nothing is to fail, which is decided anew a while later. */
  async #settleFirst(leased: LeasedMessage, run: ModelRun): Promise<void> {
    const { messageId } = leased.lease;
    if (this.#toFail.delete(messageId)) {
      const invokerMessageId = this.#drawId();
      const verdict = { kind: "dead", ifIdle: true } as const;
      const answer = await this.#scene.settle(leased, { verdict, follow: { invokerMessageId } });
      assert.equal(answer, run.isIdle ? "settled" : "gained", messageId);
      this.#count(answer === "settled" ? "failed idle" : "gained in time");
      if (run.isIdle)
        return this.model.die(run, messageId, `${messageId}-failure`, invokerMessageId);
    }
    const verdict = { kind: "delivered", idleReason: "nothing" } as const;
    const answer = await this.#scene.settle(leased, { verdict });
    assert.equal(answer, run.isIdle ? "idle" : "settled", messageId);
    if (!run.isIdle) return void run.underWay.delete(messageId);
    this.#toFail.add(messageId);
    this.#leased.push(leased);
  }

  #refOf(runId: string, isOld: boolean): RunRef {
    const first = isOld ? this.model.all.find((run) => run.runId === runId) : undefined;
    return first === undefined ? refOf(runId) : { ...refOf(runId), createdAt: first.createdAt };
  }

  #drawId(): string {
    this.#messages += 1;
    return `m${String(this.#messages).padStart(5, "0")}`;
  }

  #count(what: string): void {
    this.#reached.set(what, (this.#reached.get(what) ?? 0) + 1);
  }

  async #note(what: string, wanted: unknown, answer: Promise<unknown>): Promise<unknown> {
    if ((await answer) === wanted) this.#count(what);
    return answer;
  }
}

function keyOf({ runId, createdAt }: ModelRun): RunKey {
  return { ...refOf(runId), createdAt };
}

const URL = "https://example.test/workflow";
const KEY = { accountId: "account", createdAt: START_AT };
