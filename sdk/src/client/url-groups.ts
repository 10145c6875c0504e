import { Page } from "../page.ts";
import { segment, type Transport } from "../transport.ts";
import type { Endpoint, UrlGroup } from "../answers/url-group.ts";

/** Names for several endpoints, each of which gets its own copy of a message. */
export class UrlGroups {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The first endpoint creates the group. */
  addEndpoints(name: string, endpoints: readonly Endpoint[]): Promise<void> {
    return this.#change("POST", name, endpoints);
  }

  /** By name or by URL; removing the last endpoint deletes the group. */
  removeEndpoints(name: string, endpoints: readonly Partial<Endpoint>[]): Promise<void> {
    return this.#change("DELETE", name, endpoints);
  }

  get(name: string): Promise<UrlGroup> {
    return this.#transport.json({ method: "GET", path: `/v2/topics/${segment(name)}` });
  }

  async list(): Promise<Page<UrlGroup>> {
    return Page.whole(await this.#transport.json({ method: "GET", path: "/v2/topics" }));
  }

  async delete(name: string): Promise<void> {
    await this.#transport.send({ method: "DELETE", path: `/v2/topics/${segment(name)}` });
  }

  async #change(
    method: "POST" | "DELETE",
    name: string,
    endpoints: readonly Partial<Endpoint>[],
  ): Promise<void> {
    await this.#transport.send({
      method,
      path: `/v2/topics/${segment(name)}/endpoints`,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ endpoints }),
    });
  }
}
