import type { PublishItem } from "../../src/core/rules/message/immediate-lease.ts";
import { decodeFacts } from "../../src/core/model/message/settings.ts";
import type { UsedLine } from "../../src/core/model/line/line.ts";
import type { LeasedMessage } from "../../src/store/store.ts";
import { aPublish, type MessageWish } from "../support/messages.ts";
import type { Scene } from "./scene.ts";

/** Publishes a message for which a node has a slot; null when it has to wait. */
export async function leaseAtPublish(
  scene: Scene,
  messageId: string,
  wish: MessageWish & { delayMs?: number },
  uses?: readonly UsedLine[],
): Promise<LeasedMessage | null> {
  const item = itemWithSlot(scene, messageId, wish, uses);
  const [answer] = await scene.act(aPublish(scene.now, item));
  return answer?.waits === true ? null : leasedOf(item);
}

export function itemWithSlot(
  scene: Scene,
  messageId: string,
  wish: MessageWish & { delayMs?: number },
  uses?: readonly UsedLine[],
): PublishItem {
  const item = scene.item(messageId, wish);
  return { ...item, message: { ...item.message, uses }, nodeId: "node" };
}

export function leasedOf({ message: { state, facts, body } }: PublishItem): LeasedMessage {
  const { accountId, messageId, host } = state;
  const lease = { accountId, messageId, fence: 1 };
  return { lease, message: decodeFacts(facts), body, host, attempts: 0 };
}
