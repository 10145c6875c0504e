/** A listener of `GET /v2/stream`. */
import { get, type IncomingMessage } from "node:http";

import type { Item } from "./account-calls.ts";
import { until } from "./eventually.ts";

export interface StreamEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Item;
}

export interface ListenOptions {
  readonly lastEventId?: string | undefined;
}

export class EventStream {
  readonly events: StreamEvent[] = [];
  readonly status: number;
  isEnded = false;
  heartbeats = 0;
  readonly #response: IncomingMessage;
  #text = "";
  #isListening = false;

  private constructor(response: IncomingMessage) {
    this.#response = response;
    this.status = response.statusCode ?? 0;
    response.on("error", () => undefined);
    response.on("close", () => (this.isEnded = true));
  }

  /** Connects, and reads nothing before `listen`. */
  static connect(url: string, token: string, options: ListenOptions = {}): Promise<EventStream> {
    const { lastEventId } = options;
    const headers = {
      Authorization: `Bearer ${token}`,
      ...(lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId }),
    };
    return new Promise((resolve, reject) => {
      const target = `${url}/v2/stream`;
      const request = get(target, { headers, agent: false }, (response) =>
        resolve(new EventStream(response)),
      );
      request.on("error", reject);
    });
  }

  static async open(url: string, token: string, options?: ListenOptions): Promise<EventStream> {
    const stream = await EventStream.connect(url, token, options);
    stream.listen();
    return stream;
  }

  get headers(): IncomingMessage["headers"] {
    return this.#response.headers;
  }

  get logged(): Item[] {
    return this.events.filter(({ event }) => event === "log").map(({ data }) => data);
  }

  listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    this.#response.setEncoding("utf8").on("data", (chunk: string) => this.#read(chunk));
  }

  /** Resolves once the events satisfy the condition. */
  async until(isEnough: (stream: EventStream) => boolean, what: string): Promise<void> {
    await until(() => isEnough(this), what);
  }

  close(): void {
    this.#response.destroy();
  }

  #read(chunk: string): void {
    const blocks = (this.#text + chunk).split("\n\n");
    this.#text = blocks.pop()!;
    for (const block of blocks) this.#take(block.split("\n"));
  }

  #take(lines: readonly string[]): void {
    const field = (name: string): string | undefined =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    if (lines[0] === ": heartbeat") this.heartbeats += 1;
    const data = field("data");
    if (data === undefined) return;
    const event = field("event") ?? "message";
    this.events.push({ event, id: field("id"), data: JSON.parse(data) as Item });
  }
}
