import { systemClock } from "../../../src/platform/clock.ts";
import { createIds } from "../../../src/platform/ids.ts";
import type { Store } from "../../../src/store/store.ts";
import { aLeasedMessage, aPublish, aPublishItem, aSettlement } from "../../support/messages.ts";
import { ACCOUNT } from "../fill.ts";
import { BENCH_TOKEN, type Subject } from "../subjects.ts";

/** Older than the longest retention of any plan. */
export const OLD_MS = 40 * 86_400_000;

const MESSAGES_AT_ONCE = 1_000;
const ids = createIds();
const body = new Uint8Array(256);

/** Messages that were delivered so long ago. */
export async function addOldMessages(store: Store, count: number, ageMs: number): Promise<void> {
  for (let made = 0; made < count; made += MESSAGES_AT_ONCE) {
    const at = systemClock.now() - ageMs;
    const size = Math.min(MESSAGES_AT_ONCE, count - made);
    const wishes = Array.from({ length: size }, () => ({
      accountId: ACCOUNT,
      messageId: ids.sortable("msg_", at),
      createdAt: at,
      leasedBy: "bench",
      body,
    }));
    await store.act(aPublish(at, ...wishes.map((wish) => aPublishItem(wish))));
    const verdict = { kind: "delivered" } as const;
    await Promise.all(
      wishes.map((wish) => store.act(aSettlement(aLeasedMessage(wish), { at, verdict }))),
    );
  }
}

/** Without any left, some round was measured while nothing was being deleted; null when there are. */
export async function oldMessagesMissing({ port }: Subject): Promise<string | null> {
  const until = systemClock.now() - OLD_MS / 2;
  const query = `count=1&order=earliestFirst&toDate=${until}`;
  const answer = await fetch(`http://127.0.0.1:${port}/v2/logs?${query}`, {
    headers: { authorization: `Bearer ${BENCH_TOKEN}` },
  });
  const { logs } = (await answer.json()) as { logs?: readonly unknown[] };
  if (logs !== undefined && logs.length > 0) return null;
  return "all old messages were deleted before the last round ended: add --old-messages";
}
