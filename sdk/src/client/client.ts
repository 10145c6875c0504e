import { requireKnown } from "../option-names.ts";
import { messageHeaders } from "../settings.ts";
import { type ClientOptions, segment, Transport } from "../transport.ts";
import { OwnAccountCalls } from "./account.ts";
import { DeadLetters } from "./dead-letters.ts";
import { Dev } from "./dev.ts";
import { FlowControlKeys } from "./flow-control.ts";
import { Keys } from "./keys.ts";
import { Logs } from "./logs.ts";
import { Messages } from "./messages.ts";
import { once } from "./once.ts";
import {
  asJson,
  type BatchAnswer,
  batchEntry,
  requireList,
  type BatchItem,
  destinationOf,
  type Publish,
  type PublishMethod,
} from "./publish.ts";
import { QueueHandle, Queues } from "./queues.ts";
import { Schedules } from "./schedules.ts";
import { UrlGroups } from "./url-groups.ts";
import { Workflows } from "./workflows.ts";
import type { BodyInput, HeadersInput } from "../web-types.ts";

/** The client of the service. One object serves a whole application. */
export class Client {
  readonly messages: Messages;
  readonly queues: Queues;
  readonly schedules: Schedules;
  readonly urlGroups: UrlGroups;
  /** URL groups under their older name. */
  readonly topics: UrlGroups;
  readonly dlq: DeadLetters;
  readonly logs: Logs;
  readonly flowControl: FlowControlKeys;
  readonly keys: Keys;
  readonly account: OwnAccountCalls;
  readonly workflow: Workflows;
  readonly dev: Dev;
  readonly #transport: Transport;
  readonly #headers: HeadersInput | undefined;

  constructor(options: ClientOptions = {}) {
    const transport = new Transport(options);
    this.#transport = transport;
    this.#headers = options.headers;
    this.messages = new Messages(transport);
    this.queues = new Queues(transport);
    this.schedules = new Schedules(transport, options.headers);
    this.urlGroups = new UrlGroups(transport);
    this.topics = this.urlGroups;
    this.dlq = new DeadLetters(transport);
    this.logs = new Logs(transport);
    this.flowControl = new FlowControlKeys(transport);
    this.keys = new Keys(transport);
    this.account = new OwnAccountCalls(transport);
    this.workflow = new Workflows(transport, options.headers);
    this.dev = new Dev(transport);
  }

  /** Resolves once the message is stored, so that its delivery is guaranteed. */
  publish: PublishMethod<BodyInput> = (async (message: Publish) => {
    const path = `/v2/publish/${segment(destinationOf(message))}`;
    const { settings, shown } = once(this.#transport, message);
    const headers = messageHeaders(settings, this.#headers);
    return shown(await this.#transport.json({ method: "POST", path, headers, body: message.body }));
  }) as PublishMethod<BodyInput>;

  publishJSON: PublishMethod<unknown> = (async (message: Publish<unknown>) =>
    this.publish(asJson(message))) as PublishMethod<unknown>;

  /** Many messages in one request, stored together. */
  async batch(messages: readonly BatchItem[]): Promise<BatchAnswer[]> {
    const items = requireList(messages).map((message) => once(this.#transport, message));
    const entries = items.map(({ settings }) => {
      const { headers, ...entry } = batchEntry(settings, this.#headers);
      return { ...entry, headers: this.#transport.named(headers) };
    });
    const answers = await this.#transport.json<BatchAnswer[]>({
      method: "POST",
      path: "/v2/batch",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(entries),
    });
    return answers.map((answer, index) => items[index]?.shown(answer) ?? answer);
  }

  async batchJSON(messages: readonly BatchItem<unknown>[]): Promise<BatchAnswer[]> {
    return this.batch(requireList(messages).map(asJson));
  }

  /** A queue, by its name. The first message creates it. */
  queue(name: string | { readonly queueName: string }): QueueHandle {
    if (typeof name !== "string") requireKnown("a queue", name, { queueName: true });
    const queueName = typeof name === "string" ? name : name.queueName;
    return new QueueHandle(this.#transport, queueName, this.#headers);
  }
}
