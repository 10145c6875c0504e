import type { HandOver } from "../store/hand-over.ts";
import { DeliverySwitch } from "./delivery-switch.ts";
import { Deadlines } from "./deadlines.ts";
import { Dispatcher } from "./dispatcher.ts";
import type { EngineOptions, Recovery } from "./engine-options.ts";
import { Heartbeat } from "./heartbeat.ts";
import { Janitor } from "./janitor.ts";
import { Membership } from "./membership.ts";
import { Retimer } from "./retimer.ts";
import { Settler } from "./settler.ts";
import { Ticker } from "./ticker.ts";

/** The clockwork: everything that happens on time rather than on request. */
export class Engine {
  readonly handOver: HandOver;
  readonly #options: EngineOptions;
  readonly #membership: Membership;
  readonly #deliverySwitch: DeliverySwitch;
  readonly #dispatcher: Dispatcher;
  readonly #heartbeat: Heartbeat;
  readonly #janitor: Janitor;
  readonly #ticker: Ticker;
  readonly #deadlines: Deadlines;
  readonly #retimer: Retimer;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#membership = new Membership(options);
    const settler = new Settler(options);
    this.#deliverySwitch = new DeliverySwitch(options);
    this.#dispatcher = new Dispatcher(options, this.#membership, settler, this.#deliverySwitch);
    this.#heartbeat = new Heartbeat(options, this.#membership, this.#dispatcher, settler);
    this.#janitor = new Janitor(options);
    this.#ticker = new Ticker(options, this.#membership);
    this.#deadlines = new Deadlines(options, this.#membership);
    this.#retimer = new Retimer(options, this.#membership);
    this.handOver = this.#dispatcher;
  }

  /** Joins the others, or recovers what an earlier life left behind, and begins to deliver. */
  async start(): Promise<Recovery> {
    await this.#membership.beat();
    const taken = this.#options.alone
      ? await this.#heartbeat.takeOver("others")
      : { waiting: 0, cancelled: 0 };
    await this.#deliverySwitch.start();
    this.#dispatcher.start();
    this.#heartbeat.start();
    this.#janitor.start();
    this.#ticker.start();
    this.#deadlines.start();
    this.#retimer.start();
    const { waiting } = await this.#options.store.reader.counts();
    return { resumed: taken.waiting, cancelled: taken.cancelled, waiting };
  }

  /** Finishes what is under way, for at most `graceMs`, and hands back the rest. */
  async stop(graceMs: number): Promise<void> {
    await this.#ticker.stop();
    await this.#deadlines.stop();
    await this.#retimer.stop();
    await this.#dispatcher.stop(graceMs);
    await this.#deliverySwitch.stop();
    await this.#heartbeat.stop();
    await this.#janitor.stop();
  }
}
