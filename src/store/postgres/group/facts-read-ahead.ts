import type { NewMessage } from "../../../core/change.ts";
import type { GrantedLease } from "../../../core/model/message/message.ts";
import { messageKey } from "../../group/row-keys.ts";
import { toLeased } from "../../reads/leased.ts";
import type { LeasedMessage } from "../../store.ts";

/** More are read in a round trip of their own, so that locks are not held for long. */
export const FACTS_BYTES_MAX: number = 256 * 1024;
const KEPT_MAX = 256;
const WRITTEN_BYTES_MAX = 16 * 1024 * 1024;
/** What is due later would take the room of what is sent next. */
const SOON_MS = 5_000;

interface Taken {
  readonly found: readonly LeasedMessage[];
  /** Those whose facts are to be read. */
  readonly unknown: readonly GrantedLease[];
}

type WrittenFacts = Pick<NewMessage, "facts" | "body">;

/**
 * What is known of messages before they are to be sent: what groups have read of those that they
 * leased, and large ones that they have written. The server would send each byte of a large body
 * back as two letters.
 */
export class FactsReadAhead {
  readonly #found = new Map<string, LeasedMessage>();
  readonly #written = new Map<string, WrittenFacts>();
  #writtenBytes = 0;

  add(messages: readonly LeasedMessage[]): void {
    for (const message of messages) this.#found.set(messageKey(message.lease), message);
    for (const key of this.#found.keys()) {
      if (this.#found.size <= KEPT_MAX) break;
      this.#found.delete(key);
    }
  }

  addWritten(messages: readonly NewMessage[]): void {
    for (const message of messages) {
      const { state, facts, body } = message;
      if (!isWorthKeeping(message)) continue;
      this.#written.set(messageKey(state), { facts, body });
      this.#writtenBytes += body.byteLength;
    }
    for (const key of this.#written.keys()) {
      if (this.#writtenBytes <= WRITTEN_BYTES_MAX) break;
      this.#takeWritten(key);
    }
  }

  take(granted: readonly GrantedLease[]): Taken {
    const found: LeasedMessage[] = [];
    const unknown: GrantedLease[] = [];
    for (const lease of granted) {
      const message = this.#take(lease);
      if (message === null) unknown.push(lease);
      else found.push(message);
    }
    return { found, unknown };
  }

  #take(lease: GrantedLease): LeasedMessage | null {
    const key = messageKey(lease);
    const found = this.#found.get(key);
    if (found?.lease.fence === lease.fence) {
      this.#found.delete(key);
      return found;
    }
    const written = this.#takeWritten(key);
    return written === null ? null : toLeased(lease, written);
  }

  #takeWritten(key: string): WrittenFacts | null {
    const written = this.#written.get(key);
    if (written === undefined) return null;
    this.#written.delete(key);
    this.#writtenBytes -= written.body.byteLength;
    return written;
  }
}

/** A step of a run is sent with more than its facts, and what is leased has them already. */
function isWorthKeeping({ state, body, createdAt }: NewMessage): boolean {
  const isPlain = state.run === null && state.phase === "waiting";
  const isLarge = body.byteLength > FACTS_BYTES_MAX && body.byteLength <= WRITTEN_BYTES_MAX;
  return isPlain && isLarge && state.readyAt - createdAt < SOON_MS;
}
