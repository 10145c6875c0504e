import type { Store } from "../../../src/store/store.ts";
import { addQueues } from "../fill.ts";

export const QUEUES = 100;

/** What each cluster has before its nodes start. */
export function addFewQueues(store: Store): Promise<void> {
  return addQueues(store, QUEUES);
}
