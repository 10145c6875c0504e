import type { Sending } from "../../delivery/courier.ts";
import type { LeasedMessage } from "../../store/store.ts";

interface Delivery {
  readonly leased: LeasedMessage;
  readonly sending: Pick<Sending, "abort" | "release">;
}

/** The messages that this node is handling, by id. */
export class UnderWay {
  readonly #deliveries = new Map<string, Delivery>();

  has(messageId: string): boolean {
    return this.#deliveries.has(messageId);
  }

  begin(leased: LeasedMessage, sending: Delivery["sending"]): void {
    this.#deliveries.set(leased.message.messageId, { leased, sending });
  }

  /** The memory of its answer is freed. */
  end(messageId: string): void {
    this.#deliveries.get(messageId)?.sending.release?.();
    this.#deliveries.delete(messageId);
  }

  abortAll(): void {
    for (const { sending } of this.#deliveries.values()) sending.abort();
  }

  /** Those of keys and queues, which other nodes may now send. */
  abortLimited(): void {
    for (const { leased, sending } of this.#deliveries.values()) {
      const { settings, queueName, rootId } = leased.message;
      if (settings.flowControl || queueName !== undefined || rootId !== undefined) sending.abort();
    }
  }
}
