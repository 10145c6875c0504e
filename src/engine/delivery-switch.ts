import { Loop } from "../platform/loop.ts";
import type { EngineOptions } from "./engine-options.ts";

/** Whether deliveries may start at all. An operator turns it for all nodes, in the store. */
export class DeliverySwitch {
  readonly #options: Pick<EngineOptions, "store" | "bell" | "log">;
  readonly #loop: Loop;
  #isOff = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#loop = new Loop(
      options.clock,
      () => this.runOnce(),
      (error) => options.log.warn("the switch of deliveries was not read", { error }),
    );
  }

  get isOff(): boolean {
    return this.#isOff;
  }

  /** Nothing is sent before it is known whether anything may be. */
  async start(): Promise<void> {
    await this.runOnce();
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  async runOnce(): Promise<number> {
    const { store, bell, log } = this.#options;
    const { isPaused } = await store.reader.service();
    if (isPaused !== this.#isOff) {
      this.#isOff = isPaused;
      log.info(isPaused ? "deliveries are paused" : "deliveries go on");
      if (!isPaused) bell.ring();
    }
    return LOOK_MS;
  }
}

const LOOK_MS = 1_000;
