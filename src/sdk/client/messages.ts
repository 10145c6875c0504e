import { type Selection, selectionQuery, selectsNothing } from "../selection.ts";
import { segment, type Transport } from "../transport.ts";
import type { MessageFilter } from "./filters.ts";
import type { Message } from "./records.ts";

export class Messages {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(messageId: string): Promise<Message> {
    return this.#transport.json({ method: "GET", path: `/v2/messages/${segment(messageId)}` });
  }

  /** Cancels one message, some, those that match, or all; answers how many. */
  cancel(selection: Selection<MessageFilter>): Promise<{ readonly cancelled: number }> {
    if (selectsNothing(selection)) return Promise.resolve({ cancelled: 0 });
    if (typeof selection === "string") {
      return this.#transport.json({ method: "DELETE", path: `/v2/messages/${segment(selection)}` });
    }
    const query = selectionQuery(selection, "messageIds");
    return this.#transport.json({ method: "DELETE", path: "/v2/messages", query });
  }
}
