import { type OptionNames, requireKnown } from "../option-names.ts";
import { Page } from "../page.ts";
import type { Query, Transport } from "../transport.ts";
import {
  LIST_OPTIONS,
  type ListOptions,
  LOG_FILTER,
  type LogFilter,
  type Ordered,
} from "./filters.ts";
import type { LogEntry, LogPage } from "../answers/message.ts";
import { follow } from "./tail.ts";

/** How entries are read. */
interface Reading {
  readonly signal?: AbortSignal | undefined;
}

const READING: OptionNames<Reading> = { signal: true };

export class Logs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Log entries, newest first unless `order` says otherwise. */
  async list(
    filter: LogFilter & ListOptions & Ordered = {},
    options: Reading = {},
  ): Promise<Page<LogEntry>> {
    requireKnown("a list", options, READING);
    requireKnown("a filter", filter, { ...LOG_FILTER, ...LIST_OPTIONS, order: true });
    const { logs, cursor } = await this.#transport.json<LogPage>({
      method: "GET",
      path: "/v2/logs",
      query: filter as Query,
      signal: options.signal,
    });
    return new Page(logs, cursor, (next) => this.list({ ...filter, cursor: next }));
  }

  /**
   * Log entries as they are written, from now on, each once. It ends when the signal aborts or the
   * loop over it ends.
   */
  tail(filter: LogFilter = {}, options: Reading = {}): AsyncIterable<LogEntry> {
    requireKnown("a filter", filter, LOG_FILTER);
    requireKnown("a tail", options, READING);
    return follow((query, reading) => this.list(query, reading), filter, options.signal);
  }
}
