import { type Duration, millisecondsOf } from "../duration.ts";
import { requireKnown } from "../option-names.ts";
import { Page } from "../page.ts";
import { type Query, segment, type Transport } from "../transport.ts";
import type { FlowControlKey, GlobalParallelism } from "../answers/line.ts";

/** Keys whose messages share a limit. */
export class FlowControlKeys {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async list(filter: { search?: string } = {}): Promise<Page<FlowControlKey>> {
    const call = { method: "GET", path: "/v2/flowControl", query: filter } as const;
    return Page.whole(await this.#transport.json(call));
  }

  get(key: string): Promise<FlowControlKey> {
    return this.#transport.json({ method: "GET", path: pathOf(key) });
  }

  /** No message under this key starts until it is resumed. */
  pause(key: string): Promise<void> {
    return this.#post(`${pathOf(key)}/pause`);
  }

  resume(key: string): Promise<void> {
    return this.#post(`${pathOf(key)}/resume`);
  }

  /** Sets limits that messages cannot change until they are unpinned. */
  async pin(
    key: string,
    given: { parallelism?: number; rate?: number; period?: Duration },
  ): Promise<void> {
    requireKnown("pin", given, { parallelism: true, rate: true, period: true });
    const { period, ...limits } = given;
    const seconds = period === undefined ? undefined : millisecondsOf(period) / 1_000;
    return this.#post(`${pathOf(key)}/pin`, { ...limits, period: seconds });
  }

  async unpin(key: string, limits: { parallelism?: boolean; rate?: boolean }): Promise<void> {
    requireKnown("unpin", limits, { parallelism: true, rate: true });
    return this.#post(`${pathOf(key)}/unpin`, limits);
  }

  /** Starts a new period of the rate at once. */
  resetRate(key: string): Promise<void> {
    return this.#post(`${pathOf(key)}/resetRate`);
  }

  /** The limit of the account over all keys, and how much of it is in use. */
  getGlobalParallelism(): Promise<GlobalParallelism> {
    return this.#transport.json({ method: "GET", path: "/v2/globalParallelism" });
  }

  async #post(path: string, query?: Query): Promise<void> {
    await this.#transport.send({ method: "POST", path, query });
  }
}

function pathOf(key: string): string {
  return `/v2/flowControl/${segment(key)}`;
}
