import type { LineKey } from "../../core/model/line/line.ts";
import type { Needs } from "../../core/rule.ts";
import { lineKey } from "./row-keys.ts";

/** A queue, and how many of its first messages the acts of a group may lease. */
export interface NamedQueue {
  readonly key: LineKey;
  readonly count: number;
}

/** Far more than one queue has ended messages in a group; the others are left to claims. */
const HEADS_MAX = 16;

export function queuesNamed(needs: readonly Needs[]): NamedQueue[] {
  const named = new Map<string, NamedQueue>();
  for (const { heads } of needs) {
    for (const key of heads ?? []) {
      const name = lineKey(key);
      const count = Math.min(HEADS_MAX, (named.get(name)?.count ?? 0) + 1);
      named.set(name, { key, count });
    }
  }
  return [...named.values()];
}
