import type { GrantedLease } from "../../../core/model/message/message.ts";
import type { LeasedMessage } from "../../store.ts";
import { messageKey } from "../../group/row-keys.ts";

/** More are read in a round trip of their own, so that locks are not held for long. */
export const FACTS_BYTES_MAX: number = 256 * 1024;
const KEPT_MAX = 256;

/** What groups have read of the messages that they leased, until their callers ask for it. */
export class FactsReadAhead {
  readonly #found = new Map<string, LeasedMessage>();

  add(messages: readonly LeasedMessage[]): void {
    for (const message of messages) this.#found.set(messageKey(message.lease), message);
    for (const key of this.#found.keys()) {
      if (this.#found.size <= KEPT_MAX) break;
      this.#found.delete(key);
    }
  }

  /** Null unless all of them are known. */
  take(granted: readonly GrantedLease[]): LeasedMessage[] | null {
    const taken: LeasedMessage[] = [];
    for (const lease of granted) {
      const key = messageKey(lease);
      const found = this.#found.get(key);
      if (found?.lease.fence !== lease.fence) return null;
      this.#found.delete(key);
      taken.push(found);
    }
    return taken;
  }
}
