import { setTimeout as wait } from "node:timers/promises";
import { call } from "./service-process.ts";
import type { Ledger } from "./load.ts";
import type { RecordingSink } from "./sink.ts";

/** One publisher that fills a queue, and remembers how long each answer took. */
export class QueueProbe {
  /** Publishes that were asked to come back, with 503 and Retry-After. */
  refused = 0;
  readonly #url: () => string;
  readonly #sink: RecordingSink;
  readonly #ledger: Ledger;
  /** In the order in which they were acknowledged. */
  readonly #ids: string[] = [];
  #tookMs: number[] = [];
  #running: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(url: () => string, sink: RecordingSink, ledger: Ledger) {
    this.#url = url;
    this.#sink = sink;
    this.#ledger = ledger;
  }

  start(): void {
    this.#running = this.#run();
  }

  stop(): Promise<void> {
    this.#isStopping = true;
    return this.#running;
  }

  /** The 95th percentile of the times that publishes have taken since the last call. */
  takeP95Ms(): number {
    const sorted = this.#tookMs.toSorted((one, other) => one - other);
    this.#tookMs = [];
    return Math.round(sorted[Math.floor(sorted.length * 0.95)] ?? 0);
  }

  /** How many arrived after one that was acknowledged later. */
  outOfOrder(): number {
    const positions = new Map(this.#ids.map((messageId, index) => [messageId, index]));
    let latest = -1;
    let count = 0;
    for (const { messageId, good } of this.#sink.receipts) {
      const position = good ? positions.get(messageId) : undefined;
      if (position === undefined) continue;
      if (position < latest) count += 1;
      latest = Math.max(latest, position);
    }
    return count;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      await this.#publish().catch(() => undefined);
      await wait(PAUSE_MS);
    }
  }

  async #publish(): Promise<void> {
    const startedAt = performance.now();
    const path = `/v2/enqueue/in-order/${this.#sink.url}/ok`;
    const answer = await call(this.#url(), "POST", path);
    const text = await answer.text();
    if (answer.status === 503 && answer.headers.get("retry-after") !== null) this.refused += 1;
    if (answer.status !== 200) return;
    this.#tookMs.push(performance.now() - startedAt);
    const { messageId } = JSON.parse(text) as { messageId: string };
    this.#ids.push(messageId);
    this.#ledger.acknowledged.set(messageId, "delivered");
  }
}

const PAUSE_MS = 100;
