import type { Lease, MessageState } from "../../../core/model/message/message.ts";
import { messageKey } from "../../group/row-keys.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { columnsOf } from "./columns.ts";
import { hasKey, MESSAGE_KEY } from "./rows-by-key.ts";
import type { Session } from "../driver/conversation.ts";

/** Far more than a node sends at once. */
const KNOWN_MAX = 20_000;

/**
 * The messages that this store has leased, as they are stored. A group that settles one takes its
 * state from here without a statement that reads it. The row may have changed since: another node
 * may have canceled the message, or taken over the lease. So whatever writes such a row demands
 * STILL_LEASED, or fails as a whole and is written again with rows that are read and locked first.
 */
export class KnownLeases {
  readonly #states = new Map<string, MessageState>();

  /** The states of all these messages by key, or null when one of the leases is not known. */
  all(leases: readonly Lease[]): ReadonlyMap<string, MessageState> | null {
    const found = new Map<string, MessageState>();
    for (const lease of leases) {
      const key = messageKey(lease);
      const state = this.#states.get(key);
      if (state?.fence !== lease.fence) return null;
      found.set(key, state);
    }
    return found;
  }

  /** Messages as they were stored; those that are not leased are left out. */
  add(states: Iterable<MessageState>): void {
    for (const state of states) {
      if (state.phase === "active" && !state.cancelRequested) {
        this.#states.set(messageKey(state), state);
      }
    }
    for (const key of this.#states.keys()) {
      if (this.#states.size <= KNOWN_MAX) break;
      this.#states.delete(key);
    }
  }

  /** What a group has written, once it is durable. */
  note({ inserted, updated, ended }: WorkingSet): void {
    for (const key of updated.keys()) this.#states.delete(key);
    for (const key of ended.keys()) this.#states.delete(key);
    this.add(inserted.values());
    this.add(updated.values());
  }
}

/** A condition on messages: the row is as KnownLeases has it. `k.fence` is null for a locked row. */
export const STILL_LEASED =
  "(k.fence IS NULL OR (fence = k.fence AND phase + 0 = 1 AND NOT cancel_requested))";

/**
 * Fails unless `rows` has as many rows as it should. A server without functions of ours can only fail
 * by itself, here to read its own sentence as a number; its log shows the sentence.
 */
export function requireCount(rows: string, expected: string): string {
  return `SELECT CASE count(*) WHEN ${expected} THEN 0
    ELSE ('a lease has changed; found ' || count(*))::int END FROM ${rows}`;
}

/** Locks the rows of known leases in key order. Fails when one has changed since. */
export async function lockKnown(
  session: Session,
  states: ReadonlyMap<string, MessageState>,
): Promise<void> {
  const columns = columnsOf(
    inKeyOrder(states),
    ({ accountId }) => accountId,
    ({ messageId }) => messageId,
    ({ fence }) => fence,
  );
  await session.query(LOCK_SQL, [...columns, states.size]);
}

/** The order in which all groups lock messages. */
export function inKeyOrder<Item>(items: ReadonlyMap<string, Item>): Item[] {
  return [...items.keys()].toSorted().map((key) => items.get(key)!);
}

const LOCK_SQL = requireCount(
  `(SELECT FROM unnest($1::text[], $2::text[], $3::bigint[]) AS k (account_id, message_id, fence)
    CROSS JOIN LATERAL (
      SELECT FROM messages WHERE ${hasKey(MESSAGE_KEY)} AND ${STILL_LEASED} FOR UPDATE
    ) locked) held`,
  "$4::int",
);
