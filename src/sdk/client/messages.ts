import { NotFoundError } from "../errors.ts";
import { Page } from "../page.ts";
import { type Selection, selectionQuery, selectsNothing } from "../selection.ts";
import { type Query, segment, type Transport } from "../transport.ts";
import type { ListOptions, MessageFilter } from "./filters.ts";
import { poll, type WaitForEnd } from "./poll.ts";
import type { LogState, Message } from "./records.ts";

export class Messages {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(messageId: string): Promise<Message> {
    return this.#transport.json({ method: "GET", path: `/v2/messages/${segment(messageId)}` });
  }

  /** Messages that have not ended and that nobody has cancelled, the oldest first. */
  async list(filter: MessageFilter & ListOptions = {}): Promise<Page<Message>> {
    const page = await this.#transport.json<{ messages: Message[]; cursor?: string }>({
      method: "GET",
      path: "/v2/messages",
      query: filter as Query,
    });
    return new Page(page.messages, page.cursor, (cursor) => this.list({ ...filter, cursor }));
  }

  /**
   * Asks until the message has ended, as its state then says: DELIVERED, FAILED, or CANCELED. The
   * service shows a message no more once it is cancelled, so it is shown here as it was last seen.
   */
  wait(messageId: string, options: WaitForEnd = {}): Promise<Message> {
    let last: Message | undefined;
    return poll(messageId, options, async () => {
      try {
        last = await this.get(messageId);
      } catch (error) {
        if (last === undefined || !(error instanceof NotFoundError)) throw error;
        return { ...last, state: "CANCELED" };
      }
      return ENDS.has(last.state) ? last : undefined;
    });
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

const ENDS: ReadonlySet<LogState> = new Set<LogState>(["DELIVERED", "FAILED", "CANCELED"]);
