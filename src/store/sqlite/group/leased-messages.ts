import type { MessageKey, MessageState } from "../../../core/model/message/message.ts";
import type { WorkingSet } from "../../group/working-set.ts";

const STATES_MAX = 10_000;

/**
 * The states of messages that acts have leased, as committed. Only this writer changes
 * them, so a settlement need not read its row again.
 */
export class LeasedMessageCache {
  readonly #states = new Map<string, MessageState>();

  get({ accountId, messageId }: MessageKey): MessageState | undefined {
    const state = this.#states.get(messageId);
    return state?.accountId === accountId ? state : undefined;
  }

  /** Called after the commit, so that a state that was rolled back is never cached. */
  remember(rows: WorkingSet): void {
    for (const { messageId } of rows.ended.values()) this.#states.delete(messageId);
    for (const { messageId } of rows.updated.values()) this.#states.delete(messageId);
    if (this.#states.size > STATES_MAX) this.#states.clear();
    for (const states of [rows.inserted, rows.updated]) {
      for (const state of states.values()) {
        if (state.phase === "active") this.#states.set(state.messageId, state);
      }
    }
  }

  /** Rows were changed without telling which. */
  forget(): void {
    this.#states.clear();
  }
}
