import { requireKnown } from "../option-names.ts";
import { Page } from "../page.ts";
import type { Query, Transport } from "../transport.ts";
import {
  LIST_OPTIONS,
  type ListOptions,
  LOG_FILTER,
  type LogFilter,
  type Ordered,
} from "./filters.ts";
import type { LogEntry } from "./records.ts";
import { follow } from "./tail.ts";

export class Logs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Log entries, newest first unless `order` says otherwise. */
  async list(
    filter: LogFilter & ListOptions & Ordered = {},
    { signal }: { signal?: AbortSignal | undefined } = {},
  ): Promise<Page<LogEntry>> {
    requireKnown("a filter", filter, { ...LOG_FILTER, ...LIST_OPTIONS, order: true });
    const { logs, cursor } = await this.#transport.json<{ logs: LogEntry[]; cursor?: string }>({
      method: "GET",
      path: "/v2/logs",
      query: filter as Query,
      signal,
    });
    return new Page(logs, cursor, (next) => this.list({ ...filter, cursor: next }));
  }

  /**
   * Log entries as they are written, from now on, each once. It ends when the signal aborts or the
   * loop over it ends.
   */
  tail(filter: LogFilter = {}, { signal }: { signal?: AbortSignal } = {}): AsyncIterable<LogEntry> {
    return follow((query, options) => this.list(query, options), filter, signal);
  }
}
