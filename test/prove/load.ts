import { call } from "./service-process.ts";

export interface Ledger {
  /** Ids of messages that were acknowledged, and what is to become of them. */
  readonly acknowledged: Map<string, "delivered" | "dead">;
  readonly canceled: Set<string>;
  /** Cancels without an answer: the message may be canceled or not. */
  readonly perhapsCanceled: Set<string>;
  /** Publishes without an answer, or with a refusal: they may or may not exist. */
  unknown: number;
}

const KINDS = [
  { share: 0.8, path: "/ok", end: "delivered", retries: "3" },
  { share: 0.9, path: "/fail/2", end: "delivered", retries: "3" },
  { share: 0.95, path: "/dead", end: "dead", retries: "1" },
  { share: 1, path: "/ok?later", end: "delivered", retries: "3" },
] as const;

/** Publishers that go on whatever happens to the service, and remember what it promised them. */
export class Load {
  readonly ledger: Ledger = {
    acknowledged: new Map(),
    canceled: new Set(),
    perhapsCanceled: new Set(),
    unknown: 0,
  };
  readonly #urls: () => readonly string[];
  readonly #sinkUrl: string;
  #stopping = false;
  #running: Promise<void>[] = [];

  constructor(urls: () => readonly string[], sinkUrl: string) {
    this.#urls = urls;
    this.#sinkUrl = sinkUrl;
  }

  /** Each publisher waits so long after each publish. */
  start(publishers: number, pauseMs = 0): void {
    this.#running = Array.from({ length: publishers }, (_, index) => this.#publish(index, pauseMs));
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#running);
  }

  async #publish(index: number, pauseMs: number): Promise<void> {
    for (let count = 0; !this.#stopping; count++) {
      const urls = this.#urls();
      const url = urls[(index + count) % urls.length]!;
      try {
        await this.#publishOne(url);
        if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      } catch {
        this.ledger.unknown += 1;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  async #publishOne(url: string): Promise<void> {
    const drawn = Math.random();
    const kind = KINDS.find(({ share }) => drawn < share) ?? KINDS[0];
    const headers = {
      "svc-retries": kind.retries,
      "svc-retry-delay": "300",
      ...(kind.path === "/ok?later" ? { "svc-delay": "2s" } : {}),
    };
    const answer = await call(
      url,
      "POST",
      `/v2/publish/${this.#sinkUrl}${kind.path}`,
      headers,
      "x".repeat(300),
    );
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${answer.status} ${text}`);
    const { messageId } = JSON.parse(text) as { messageId: string };
    this.ledger.acknowledged.set(messageId, kind.end);
    if (kind.path === "/ok?later" && Math.random() < 0.3) await this.#cancel(url, messageId);
  }

  async #cancel(url: string, messageId: string): Promise<void> {
    this.ledger.perhapsCanceled.add(messageId);
    const answer = await call(url, "DELETE", `/v2/messages/${messageId}`);
    await answer.text();
    this.ledger.perhapsCanceled.delete(messageId);
    if (answer.status === 200) this.ledger.canceled.add(messageId);
  }
}
