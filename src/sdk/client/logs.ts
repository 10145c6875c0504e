import { Page } from "../page.ts";
import type { Query, Transport } from "../transport.ts";
import type { ListOptions, LogFilter } from "./filters.ts";
import type { LogEntry } from "./records.ts";

export class Logs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Log entries, newest first. */
  async list(filter: LogFilter & ListOptions = {}): Promise<Page<LogEntry>> {
    const { logs, cursor } = await this.#transport.json<{ logs: LogEntry[]; cursor?: string }>({
      method: "GET",
      path: "/v2/logs",
      query: filter as Query,
    });
    return new Page(logs, cursor, (next) => this.list({ ...filter, cursor: next }));
  }
}
