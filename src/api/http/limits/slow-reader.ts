import type { ServerResponse } from "node:http";
import type { Clock } from "../../../platform/clock.ts";

/** The caller has hung up, or does not read its response. */
export class ReaderGone extends Error {
  constructor() {
    super("the caller does not read its answer");
    this.name = "ReaderGone";
  }
}

/**
 * Waits for a caller to read. One that reads nothing for a while, or too slowly, loses its
 * connection: the memory of its response is needed for others.
 */
export class SlowReader {
  readonly #response: Reading;
  readonly #clock: Clock;
  /** When the response had its turn on the connection. */
  #startedAt: number;
  #drainedBytes = 0;

  constructor(response: Reading, clock: Clock) {
    this.#response = response;
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
  }

  /** Resolves when the caller has read what was written so far. */
  async drain(): Promise<void> {
    const waitingBytes = this.#response.writableLength;
    await this.#wait("drain");
    this.#drainedBytes += waitingBytes;
    const elapsedMs = this.#clock.monotonic() - this.#startedAt;
    const expectedBytes = ((elapsedMs - GRACE_MS) / 1_000) * BYTES_PER_SECOND_MIN;
    if (this.#drainedBytes < expectedBytes) throw new ReaderGone();
  }

  /** Resolves when the caller has read everything. */
  async finish(): Promise<void> {
    if (this.#response.writableFinished) return;
    try {
      await this.#wait("finish");
    } catch (error) {
      this.#response.destroy();
      if (!(error instanceof ReaderGone)) throw error;
    }
  }

  #wait(event: "drain" | "finish"): Promise<void> {
    const response = this.#response;
    return new Promise((resolve, reject) => {
      if (response.destroyed) return reject(new ReaderGone());
      let cancelTimer = NOTHING;
      const stop = (): void => {
        cancelTimer();
        response.off(event, onward).off("close", give).off("socket", beginTurn);
      };
      const onward = (): void => {
        stop();
        resolve();
      };
      const give = (): void => {
        stop();
        reject(new ReaderGone());
      };
      const watch = (): void => {
        cancelTimer = this.#clock.after(READ_IDLE_MS_MAX, give);
      };
      // Behind another response on its connection, there is nothing to read yet.
      const beginTurn = (): void => {
        this.#startedAt = this.#clock.monotonic();
        watch();
      };
      response.on(event, onward).on("close", give);
      if (response.socket === null) response.once("socket", beginTurn);
      else watch();
    });
  }
}

/** The used part of the response. */
export type Reading = Pick<
  ServerResponse,
  "socket" | "writableLength" | "writableFinished" | "destroyed" | "destroy" | "on" | "once" | "off"
>;

/** A caller that reads nothing for this long loses its connection. */
export const READ_IDLE_MS_MAX = 30_000;
const GRACE_MS = 60_000;
const NOTHING = (): void => undefined;
const BYTES_PER_SECOND_MIN = 8 * 1024;
