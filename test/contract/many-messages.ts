/** Fills a store with many messages at once. */
import { retryLine } from "../../src/core/model/line/line.ts";
import { aNewMessage, aPublish, type MessageWish } from "../support/messages.ts";
import type { Scene } from "./scene.ts";

const ACT_ITEMS = 1_000;

let published = 0;

export async function publishMany(
  scene: Scene,
  count: number,
  wish: (index: number) => MessageWish & { delayMs?: number },
): Promise<void> {
  for (let done = 0; done < count; done += ACT_ITEMS) {
    const indices = Array.from({ length: Math.min(ACT_ITEMS, count - done) }, (_, index) => index);
    const items = indices.map((index) => scene.item(`message-${published++}`, wish(done + index)));
    await scene.act(aPublish(scene.now, ...items));
  }
}

/** Publishes messages that have failed once and are due in a second. */
export async function publishRetries(scene: Scene, count: number): Promise<void> {
  for (let done = 0; done < count; done += ACT_ITEMS) {
    const items = Array.from({ length: ACT_ITEMS }, () => {
      const message = aNewMessage({
        messageId: `message-${published++}`,
        url: "https://dead.test/",
        createdAt: scene.now,
        notBefore: scene.now + 1_000,
      });
      const state = { ...message.state, attempts: 1, line: retryLine("dead.test") };
      return { message: { ...message, state }, deduplication: null };
    });
    await scene.act(aPublish(scene.now, ...items));
  }
}

/** Publishes messages and cancels them. */
export async function endMany(scene: Scene, count: number): Promise<void> {
  for (let done = 0; done < count; done += ACT_ITEMS) {
    const first = published;
    await publishMany(scene, Math.min(ACT_ITEMS, count - done), () => ({ delayMs: 1_000_000 }));
    const keys = Array.from({ length: published - first }, (_, index) => {
      return { accountId: "account", messageId: `message-${first + index}` };
    });
    await scene.act({ rule: "cancel", at: scene.now, keys });
  }
  scene.clock.advance(1);
}

/** Publishes messages, claims them and cancels them: their lines have been used. */
export async function useLines(
  scene: Scene,
  count: number,
  wish: (index: number) => MessageWish,
): Promise<void> {
  await publishMany(scene, count, wish);
  for (;;) {
    const leased = await scene.claim({ slots: 1_000 });
    if (leased.length === 0) return;
    const keys = leased.map(({ message }) => message);
    await scene.act({ rule: "cancel", at: scene.now, keys });
  }
}

/** Delivers every message that is due or leased. */
export async function endAll(scene: Scene): Promise<void> {
  for (;;) {
    const leased = await scene.claim({ slots: 1_000, retrySlots: 1_000 });
    if (leased.length === 0) break;
  }
  await scene.takeOver();
  for (;;) {
    const leased = await scene.claim({ slots: 1_000, retrySlots: 1_000 });
    if (leased.length === 0) break;
    await Promise.all(leased.map((each) => scene.deliver(each)));
  }
}
