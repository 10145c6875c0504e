import { Page } from "../page.ts";
import { requireKnown } from "../option-names.ts";
import { messageHeaders } from "../settings.ts";
import { segment, type Transport } from "../transport.ts";
import { once } from "./once.ts";
import { asJson, destinationOf, type Publish, type PublishMethod } from "./publish.ts";
import type { Queue } from "../answers/line.ts";
import type { BodyInput, HeadersInput } from "../web-types.ts";

export class Queues {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async list(): Promise<Page<Queue>> {
    return Page.whole(await this.#transport.json({ method: "GET", path: "/v2/queues" }));
  }
}

/** One queue: its messages are delivered in order, at most `parallelism` at a time. */
export class QueueHandle {
  readonly name: string;
  readonly #transport: Transport;
  readonly #headers: HeadersInput | undefined;

  constructor(transport: Transport, name: string, headers: HeadersInput | undefined) {
    this.#transport = transport;
    this.name = name;
    this.#headers = headers;
  }

  enqueue: PublishMethod<BodyInput> = (async (message: Publish) => {
    const path = `/v2/enqueue/${segment(this.name)}/${segment(destinationOf(message))}`;
    const { settings, shown } = once(this.#transport, message);
    const headers = messageHeaders(settings, this.#headers);
    return shown(await this.#transport.json({ method: "POST", path, headers, body: message.body }));
  }) as PublishMethod<BodyInput>;

  enqueueJSON: PublishMethod<unknown> = (async (message: Publish<unknown>) =>
    this.enqueue(asJson(message))) as PublishMethod<unknown>;

  /** Creates the queue, or changes it. */
  async upsert(options: { parallelism?: number; paused?: boolean } = {}): Promise<void> {
    requireKnown("a queue", options, { parallelism: true, paused: true });
    await this.#transport.send({
      method: "POST",
      path: "/v2/queues",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ queueName: this.name, ...options }),
    });
  }

  get(): Promise<Queue> {
    return this.#transport.json({ method: "GET", path: this.#path });
  }

  async pause(): Promise<void> {
    await this.#transport.send({ method: "POST", path: `${this.#path}/pause` });
  }

  async resume(): Promise<void> {
    await this.#transport.send({ method: "POST", path: `${this.#path}/resume` });
  }

  async delete(): Promise<void> {
    await this.#transport.send({ method: "DELETE", path: this.#path });
  }

  get #path(): string {
    return `/v2/queues/${segment(this.name)}`;
  }
}
