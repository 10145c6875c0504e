import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { POISON_LOSSES } from "../../src/core/model/message/message.ts";
import type { LeasedMessage } from "../../src/store/store.ts";
import { aCallback, aNewMessage } from "../support/messages.ts";
import { contract, type Scene } from "./scene.ts";

/** Follows one message and remembers which arrows it went. */
class Walk {
  readonly arrows = new Set<string>();
  readonly #scene: Scene;
  #messageId = "";
  #state = "[*]";
  #walks = 0;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** Begins the life of another message. */
  begin(prefix = "message"): string {
    this.#messageId = `${prefix}-${++this.#walks}`;
    this.#state = "[*]";
    return this.#messageId;
  }

  /** Looks where the message is now, and notes the way it came. */
  async arrive(expected: string, messageId = this.#messageId): Promise<void> {
    const state = await stateOf(this.#scene, messageId);
    assert.equal(state, expected, messageId);
    this.arrows.add(`${this.#state} --> ${state}`);
    if (["delivered", "dead", "canceled"].includes(state)) this.arrows.add(`${state} --> [*]`);
    this.#state = state;
  }

  async publish(): Promise<void> {
    await this.#scene.publish(this.begin(), { callback: aCallback({ delayMs: 1_000_000_000 }) });
    await this.arrive("waiting");
  }

  async lease(): Promise<LeasedMessage> {
    const leased = await this.#scene.claimOne();
    await this.arrive("active");
    return leased;
  }

  async publishAndLease(): Promise<LeasedMessage> {
    await this.publish();
    return this.lease();
  }

  async cancelUnderWay(): Promise<LeasedMessage> {
    const leased = await this.publishAndLease();
    await this.#scene.cancel(leased.lease.messageId);
    await this.arrive("cancel_requested");
    return leased;
  }
}

contract("the life of a message", (promise) => {
  promise("every arrow that is drawn is walked, and no other", async (scene) => {
    const walk = new Walk(scene);
    await walkPlainWays(scene, walk);
    await walkWaysBack(scene, walk);
    await walkCanceledWays(scene, walk);
    await walkFromDeadLetters(scene, walk);
    assert.deepEqual([...walk.arrows].toSorted(), drawnArrows());
  });
});

async function walkPlainWays(scene: Scene, walk: Walk): Promise<void> {
  await scene.deliver(await walk.publishAndLease());
  await walk.arrive("delivered");

  await scene.kill(await walk.publishAndLease());
  await walk.arrive("dead");

  const messageId = walk.begin();
  await scene.publish(messageId, { leasedBy: "node" });
  await walk.arrive("active");
  await scene.takeOver();
  await walk.arrive("waiting");
  await scene.cancel(messageId);
  await walk.arrive("canceled");
}

async function walkWaysBack(scene: Scene, walk: Walk): Promise<void> {
  await scene.retry(await walk.publishAndLease(), 0);
  await walk.arrive("waiting");
  await scene.handBack(await walk.lease());
  await walk.arrive("waiting");
  for (let loss = 1; loss < POISON_LOSSES; loss++) {
    await walk.lease();
    await scene.takeOver();
    await walk.arrive("waiting");
  }
  await walk.lease();
  const { poison } = await scene.takeOver();
  await walk.arrive("active");
  await scene.kill(poison[0]!);
  await walk.arrive("dead");
  // A poison lease passes from node to node without a state between.
  walk.arrows.delete("active --> active");
}

async function walkCanceledWays(scene: Scene, walk: Walk): Promise<void> {
  await scene.deliver(await walk.cancelUnderWay());
  await walk.arrive("delivered");

  await scene.retry(await walk.cancelUnderWay(), 0);
  await walk.arrive("canceled");

  await scene.kill(await walk.cancelUnderWay());
  await walk.arrive("canceled");

  await scene.handBack(await walk.cancelUnderWay());
  await walk.arrive("canceled");

  await walk.cancelUnderWay();
  await scene.takeOver();
  await walk.arrive("canceled");
}

async function walkFromDeadLetters(scene: Scene, walk: Walk): Promise<void> {
  const [first] = await scene.deadLetters();
  assert.ok(first);
  const messageId = walk.begin("retried");
  const message = aNewMessage({ messageId, createdAt: scene.now, notBefore: scene.now });
  await scene.act({ rule: "retry-dead-letter", at: scene.now, key: first.deadLetter, message });
  await walk.arrive("waiting");
  assert.equal(await stateOf(scene, first.deadLetter.messageId), "dead");

  walk.begin();
  const callbackId = `${first.deadLetter.messageId}-callback-1`;
  await walk.arrive("waiting", callbackId);
}

async function stateOf(scene: Scene, messageId: string): Promise<string> {
  const stored = await scene.store.reader.messages.get({ accountId: "account", messageId });
  assert.ok(stored, messageId);
  const { state, lastEntry } = stored;
  if (state !== null) return state.cancelRequested ? "cancel_requested" : state.phase;
  const ends: Readonly<Record<string, string>> = {
    DELIVERED: "delivered",
    FAILED: "dead",
    CANCELED: "canceled",
  };
  return ends[lastEntry?.state ?? ""] ?? "nowhere";
}

/** The arrows of the drawing, without what is written on them. */
function drawnArrows(): string[] {
  const page = readFileSync(
    new URL("../../docs/explanation/lifecycle.md", import.meta.url),
    "utf8",
  );
  const drawing = /```mermaid\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  const arrows = [...drawing.matchAll(/^\s*(\S+ --> [^\s:]+)/gm)].map((match) => match[1] ?? "");
  assert.ok(arrows.length > 0);
  return arrows.toSorted();
}
