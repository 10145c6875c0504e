import assert from "node:assert/strict";
import { lineKind, type LineKey } from "../../../src/core/model/line/line.ts";
import type { MessageKey, MessageState } from "../../../src/core/model/message/message.ts";
import { keyOf, lineOf, type ModelStore } from "./model-store.ts";
import type { Reached } from "./reached.ts";

const SUSPECT_LOSSES = 3;
const LIMITED: ReadonlySet<string> = new Set(["queue", "key"]);
export const UNLIMITED = { parallelism: null, rate: null, periodMs: 1000, paused: false };

/** What takes up the room of lines, and who may go through one without waiting in it. */
export class ModelLines {
  readonly #model: ModelStore;
  readonly #reached: Reached;

  constructor(model: ModelStore, reached: Reached) {
    this.#model = model;
    this.#reached = reached;
  }

  /** This message was leased when it was published. */
  pass(key: MessageKey, now: number): void {
    const { state } = this.#model.living.get(keyOf(key))!;
    const { accountId, messageId } = state;
    const queue = this.#model.admittedFrom.get(keyOf(state));
    const lines = queue === undefined ? [state.line] : [queue, state.line];
    for (const line of lines.filter((each) => LIMITED.has(lineKind(each)))) {
      const first = this.#model
        .states()
        .filter((other) => other.phase === "waiting" && sameLine(other, { accountId, line }))
        .filter((other) => other.readyAt <= now && !isSuspect(other));
      assert.deepEqual(first, [], `${messageId} was let through before them`);
    }
    if (queue !== undefined) {
      const limits = this.limits({ accountId, line: queue }) ?? { ...UNLIMITED, parallelism: 1 };
      assert.ok(!limits.paused, `${messageId} let through by a paused queue`);
      const held = this.held(accountId, queue);
      assert.ok(held <= (limits.parallelism ?? Infinity), `${messageId} overfills its queue`);
      this.#reached.add("let through a queue at once");
    }
    if (lineKind(state.line) === "key") {
      this.startsOf(state).push(now);
      this.checkKey(state, now);
      this.#reached.add("let through a key at once");
    }
    assert.equal(this.#model.caps.get(accountId) ?? null, null, "only claims count for a cap");
  }

  /** This message was leased by the settlement of another one of its queue. */
  follow(key: MessageKey, now: number): void {
    const { state, position } = this.#model.living.get(keyOf(key))!;
    const { accountId, messageId, queue: line } = state;
    const what = `${messageId} leased next`;
    assert.ok(line !== null && state.lineAfter === null, `${what}, though it is in no queue`);
    const queue = { accountId, line };
    assert.ok(state.readyAt <= now, `${what}, though not ready`);
    const before = [...this.#model.living.values()].filter(
      (other) => sameLine(other.state, queue) && other.position < position,
    );
    assert.ok(!before.some((other) => other.state.readyAt <= now), `${what} out of its turn`);
    const host = this.#model
      .states()
      .filter((other) => other.phase === "waiting" && sameLine(other, state))
      .filter((other) => other.readyAt <= now && !isSuspect(other));
    assert.deepEqual(host, [], `${what} before those that wait for its host`);
    const limits = this.limits(queue) ?? { ...UNLIMITED, parallelism: 1 };
    assert.ok(!limits.paused, `${what} by a paused queue`);
    this.#model.admittedFrom.set(keyOf(key), line);
    const held = this.held(accountId, line);
    assert.ok(held <= (limits.parallelism ?? Infinity), `${what} by a full queue`);
    assert.equal(this.#model.caps.get(accountId) ?? null, null, "only claims count for a cap");
    assert.ok(!isSuspect(state), `${what}, though a suspect`);
    this.#reached.add("next of a queue leased by a settlement");
  }

  checkKey(state: MessageState, now: number): void {
    if (lineKind(state.line) !== "key") return;
    const { parallelism, rate, periodMs, paused } = this.limits(state) ?? UNLIMITED;
    assert.ok(!paused, `${state.messageId} leased under a paused key`);
    const active = this.active((other) => sameLine(other, state));
    assert.ok(active <= (parallelism ?? Infinity), `${state.line} has more under way than it may`);
    if (active === parallelism) this.#reached.add("key at its parallelism");
    const recent = this.recent(state, now, periodMs);
    // Windows are fixed, so that two of them may touch in any stretch of one period.
    assert.ok(recent <= (rate ?? Infinity) * 2, `${state.line} starts more than its rate allows`);
    if (rate !== null && recent >= rate) this.#reached.add("key at its rate");
  }

  /** It came from a queue that is paused. Callbacks are not held back. */
  isHeldBack(state: MessageState): boolean {
    const { accountId, messageId, rootId } = state;
    const line = this.#model.admittedFrom.get(keyOf(state));
    if (rootId !== messageId || line === undefined || state.lineAfter !== null) return false;
    return this.#model.settings.get(lineOf({ accountId, line }))?.limits.paused ?? false;
  }

  /**
   * Slots of a queue that are taken: by messages that have left it, while any of their reports
   * live, unless they went back into it.
   */
  held(accountId: string, queue: string): number {
    const roots = this.#model
      .states()
      .filter((state) => state.accountId === accountId && state.lineAfter === null)
      .map(({ rootId }) => `${accountId} ${rootId}`)
      .filter((root) => this.#model.admittedFrom.get(root) === queue)
      .filter((root) => (this.#model.living.get(root)?.state.lineAfter ?? null) === null);
    return new Set(roots).size;
  }

  heldByCallback({ accountId, line }: MessageState): boolean {
    return this.#model.states().some(({ accountId: owner, rootId }) => {
      const root = `${accountId} ${rootId}`;
      const holds = owner === accountId && this.#model.admittedFrom.get(root) === line;
      return holds && !this.#model.living.has(root);
    });
  }

  suspectUnderWay(): boolean {
    return this.active(isSuspect) > 0;
  }

  active(which: (state: MessageState) => boolean): number {
    return this.#model.states().filter((state) => state.phase === "active" && which(state)).length;
  }

  recent(state: MessageState, now: number, periodMs: number): number {
    return this.startsOf(state).filter((at) => at > now - periodMs && at <= now).length;
  }

  startsOf(state: MessageState): number[] {
    const key = lineOf(state);
    if (!this.#model.starts.has(key)) this.#model.starts.set(key, []);
    return this.#model.starts.get(key)!;
  }

  limits(key: LineKey) {
    return this.#model.settings.get(lineOf(key))?.limits;
  }
}

export function isSuspect(state: MessageState): boolean {
  return state.losses >= SUSPECT_LOSSES;
}

export function sameLine(one: LineKey, other: LineKey): boolean {
  return one.accountId === other.accountId && one.line === other.line;
}
