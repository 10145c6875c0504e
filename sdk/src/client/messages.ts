import { PostriderError } from "../errors.ts";
import { type OptionNames, requireKnown } from "../option-names.ts";
import { Page } from "../page.ts";
import { bulk, type Selection, selectionQuery, selectsNothing } from "../selection.ts";
import { type Query, segment, type Transport } from "../transport.ts";
import { type Duration, durationText } from "../duration.ts";
import { type BulkCall, type BulkCount, countOf } from "./bulk-count.ts";
import { LIST_OPTIONS, type ListOptions, MESSAGE_FILTER, type MessageFilter } from "./filters.ts";
import { poll, type WaitForEnd } from "./poll.ts";
import type {
  Callback,
  Callbacks,
  CancelledCount,
  Message,
  MessagePage,
  SentManyNow,
  WaitingReasons,
} from "../answers/message.ts";
import type { LogState } from "../answers/words.ts";

export class Messages {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(messageId: string): Promise<Message> {
    return this.#transport.json({ method: "GET", path: `/v2/messages/${segment(messageId)}` });
  }

  /** Messages that have not ended and were not canceled, the oldest first. */
  async list(filter: MessageFilter & ListOptions = {}): Promise<Page<Message>> {
    requireKnown("a filter", filter, { ...MESSAGE_FILTER, ...LIST_OPTIONS });
    const page = await this.#transport.json<MessagePage>({
      method: "GET",
      path: "/v2/messages",
      query: filter as Query,
    });
    return new Page(page.messages, page.cursor, (cursor) => this.list({ ...filter, cursor }));
  }

  /** The callbacks that were made for a message, newest first, at most 100. */
  async callbacks(messageId: string): Promise<readonly Callback[]> {
    const path = `/v2/messages/${segment(messageId)}/callbacks`;
    return (await this.#transport.json<Callbacks>({ method: "GET", path })).callbacks;
  }

  /** Why messages wait, by reason and line, the most messages first. */
  waiting(): Promise<WaitingReasons> {
    return this.#transport.json({ method: "GET", path: "/v2/waiting" });
  }

  /** Polls until the message has ended; its state is then DELIVERED, FAILED, or CANCELED. */
  wait(messageId: string, options: WaitForEnd = {}): Promise<Message> {
    return poll(messageId, options, async () => {
      const message = await this.get(messageId);
      return ENDS.has(message.state) ? message : undefined;
    });
  }

  /** Cancels one message, some, those that match, or all; returns how many. */
  async cancel(selection: Selection<MessageFilter>): Promise<CancelledCount> {
    if (selectsNothing(selection)) return { cancelled: 0 };
    if (typeof selection === "string") {
      return this.#transport.json({ method: "DELETE", path: `/v2/messages/${segment(selection)}` });
    }
    const query = selectionQuery(selection, "messageIds", MESSAGE_FILTER);
    if (query["count"] !== COUNT_OF_ALL) return this.#cancelMany(query);
    const { cancelled } = await this.#cancelMany({ ...query, count: COUNT_OF_ALL - 1 });
    if (cancelled < COUNT_OF_ALL - 1) return { cancelled };
    const last = await this.#cancelMany({ ...query, count: 1 });
    return { cancelled: cancelled + last.cancelled };
  }

  /**
   * Sends messages now that wait for a time: one, some, those that match, or all. Those that are
   * due, under way or ended stay as they are. Queues, keys and hosts still limit them. With `over` they are spread evenly over that time.
   */
  async retry(selection: Selection<MessageFilter>, options: RetryNow = {}): Promise<SentManyNow> {
    requireKnown("a retry", options, RETRY_NOW);
    if (selectsNothing(selection)) return { retried: 0 };
    const query = {
      ...selectionQuery(selection, "messageIds", MESSAGE_FILTER),
      over: durationText(options.over),
    };
    return this.#transport.json({ method: "POST", path: "/v2/messages/retry", ...bulk(query) });
  }

  /** How many `cancel` or `retry` would reach; nothing is changed. */
  async count(action: "cancel" | "retry", selection: Selection<MessageFilter>): Promise<BulkCount> {
    const bulkCall = COUNTED.get(action);
    if (bulkCall === undefined) throw new PostriderError('count is of "cancel" or of "retry"');
    return countOf(this.#transport, bulkCall, selection);
  }

  #cancelMany(query: Query): Promise<CancelledCount> {
    return this.#transport.json({ method: "DELETE", path: "/v2/messages", ...bulk(query) });
  }
}

export interface RetryNow {
  readonly over?: Duration | undefined;
}

export const RETRY_NOW: OptionNames<RetryNow> = { over: true };
const MANY = { idsName: "messageIds", filter: MESSAGE_FILTER } as const;
const RETRY = { ...MANY, method: "POST", path: "/v2/messages/retry" } as const;
const CANCEL = { ...MANY, method: "DELETE", path: "/v2/messages" } as const;
const COUNTED: ReadonlyMap<string, BulkCall<MessageFilter>> = new Map<
  string,
  BulkCall<MessageFilter>
>([
  ["cancel", CANCEL],
  ["retry", RETRY],
]);
/** The service takes this count for all that match, since another client always sends it. */
const COUNT_OF_ALL = 100;
const ENDS: ReadonlySet<LogState> = new Set<LogState>(["DELIVERED", "FAILED", "CANCELED"]);
