import { requireKnown } from "../option-names.ts";
import { Page } from "../page.ts";
import { bulk, type Selection, selectionQuery, selectsNothing } from "../selection.ts";
import { MESSAGE_SETTINGS, type MessageSettings, settingHeaders } from "../settings.ts";
import { type Query, segment, type Transport } from "../transport.ts";
import { durationText } from "../duration.ts";
import { type BulkCount, countOf } from "./bulk-count.ts";
import {
  DEAD_LETTER_FILTER,
  type DeadLetterFilter,
  LIST_OPTIONS,
  type ListOptions,
} from "./filters.ts";
import { RETRY_NOW, type RetryNow } from "./messages.ts";
import type {
  DeadLetter,
  DeadLetterGroup,
  DeadLetterGroups,
  DeadLetterPage,
  DeletedCount,
  RetriedMessages,
} from "../answers/dead-letter.ts";
import type { Message } from "../answers/message.ts";

/** What a message and its dead letter both show. */
export type ShownMessage = Pick<Message, keyof Message & keyof DeadLetter>;

/** Messages that could not be delivered. */
export class DeadLetters {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async list(filter: DeadLetterFilter & ListOptions = {}): Promise<Page<DeadLetter>> {
    requireKnown("a filter", filter, { ...DEAD_LETTER_FILTER, ...LIST_OPTIONS });
    const page = await this.#transport.json<DeadLetterPage>({
      method: "GET",
      path: "/v2/dlq",
      query: filter as Query,
    });
    return new Page(page.messages, page.cursor, (cursor) => this.list({ ...filter, cursor }));
  }

  get(dlqId: string): Promise<DeadLetter> {
    return this.#transport.json({ method: "GET", path: `/v2/dlq/${segment(dlqId)}` });
  }

  /**
   * Replaces dead letters with new messages; settings given here replace those of the dead letters.
   * With `over`, many are spread evenly over that time.
   */
  async retry(
    selection: Selection<DeadLetterFilter>,
    settings: MessageSettings = {},
    options: RetryNow = {},
  ): Promise<RetriedMessages> {
    requireKnown("a retry", options, RETRY_NOW);
    if (selectsNothing(selection)) return { responses: [] };
    requireKnown("a retry", settings, MESSAGE_SETTINGS);
    const headers = settingHeaders(settings);
    if (typeof selection === "string") {
      const path = `/v2/dlq/retry/${segment(selection)}`;
      return { responses: [await this.#transport.json({ method: "POST", path, headers })] };
    }
    const query = {
      ...selectionQuery(selection, "dlqIds", DEAD_LETTER_FILTER),
      over: durationText(options.over),
    };
    return this.#transport.json({ method: "POST", path: "/v2/dlq/retry", ...bulk(query), headers });
  }

  /** The newest dead letters by status and cause of their failure, the largest group first. */
  async groups(): Promise<readonly DeadLetterGroup[]> {
    const call = { method: "GET", path: "/v2/dlq/groups" } as const;
    return (await this.#transport.json<DeadLetterGroups>(call)).groups;
  }

  /** How many of them there are; nothing is changed. */
  count(selection: Selection<DeadLetterFilter>): Promise<BulkCount> {
    return countOf(
      this.#transport,
      { method: "DELETE", path: "/v2/dlq", idsName: "dlqIds", filter: DEAD_LETTER_FILTER },
      selection,
    );
  }

  async delete(selection: Selection<DeadLetterFilter>): Promise<DeletedCount> {
    if (selectsNothing(selection)) return { deleted: 0 };
    if (typeof selection === "string") {
      await this.#transport.send({ method: "DELETE", path: `/v2/dlq/${segment(selection)}` });
      return { deleted: 1 };
    }
    const query = selectionQuery(selection, "dlqIds", DEAD_LETTER_FILTER);
    return this.#transport.json({ method: "DELETE", path: "/v2/dlq", ...bulk(query) });
  }
}
