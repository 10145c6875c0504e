import { Loop } from "../platform/loop.ts";
import type { NodeLoad } from "../store/node-facts.ts";
import type { HandOver } from "../store/hand-over.ts";
import type { SeenNode } from "../store/store.ts";
import { type Chore, watchedChore, failureFields } from "./chore.ts";
import { Deadlines } from "./workflow/deadlines.ts";
import { DeliverySwitch } from "./dispatch/delivery-switch.ts";
import { Dispatcher } from "./dispatch/dispatcher.ts";
import type { EngineOptions, Recovery, EngineLimits } from "./engine-options.ts";
import { Heartbeat } from "./cluster/heartbeat.ts";
import { AccountRemover } from "./upkeep/account-remover.ts";
import { Janitor } from "./upkeep/janitor.ts";
import { Membership } from "./cluster/membership.ts";
import { Retimer } from "./retimer.ts";
import { StatsRecorder } from "./upkeep/stats-recorder.ts";
import { Settler } from "./dispatch/settler.ts";
import { Ticker } from "./schedule/ticker.ts";
import type { Settings } from "../config/settings.ts";
import type { OpenFiles } from "../core/policy/limits/open-files.ts";
import { slotsOfHost } from "./dispatch/host-slots.ts";

/** Everything that happens on time rather than on request. */
export class Engine {
  readonly handOver: HandOver;
  readonly #options: EngineOptions;
  readonly #membership: Membership;
  readonly #settler: Settler;
  readonly #deliverySwitch: DeliverySwitch;
  readonly #dispatcher: Dispatcher;
  readonly #heartbeat: Heartbeat;
  readonly #beating: Loop;
  readonly #statsRecorder: StatsRecorder;
  readonly #recording: Loop;
  /** Loops that create messages. */
  readonly #producers: readonly Loop[];
  /** Loops that deliveries depend on; they end after them. */
  readonly #upkeep: readonly Loop[];

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#deliverySwitch = new DeliverySwitch(options, () => {
      this.#beating.wake();
      // What has been counted goes with the data.
      if (this.isStandingStill) this.#recording.wake();
    });
    const startedAt = options.clock.wall();
    const { nodeName: name, version } = options;
    this.#membership = new Membership(
      options,
      () => this.#deliverySwitch.isOff,
      () => ({ ...this.load, name, version, startedAt, keyIds: options.keyIds() }),
    );
    this.#settler = new Settler(options);
    this.#dispatcher = new Dispatcher(
      options,
      this.#membership,
      this.#settler,
      this.#deliverySwitch,
    );
    this.#heartbeat = new Heartbeat(options, this.#membership, this.#dispatcher, this.#settler);
    const ticker = new Ticker(options);
    const ticking = this.#loopOf(ticker);
    const tick = (): void => {
      ticker.changed();
      ticking.wake();
    };
    options.tickBell.listen(tick);
    const retimer = new Retimer(options);
    const retiming = this.#loopOf(retimer);
    options.clock.onStep((ms) => {
      retimer.stepped(ms);
      retiming.wake();
      tick();
    });
    this.#producers = [ticking, this.#loopOf(new Deadlines(options)), retiming];
    this.#beating = this.#loopOf(this.#heartbeat);
    this.#statsRecorder = new StatsRecorder(options);
    this.#recording = this.#loopOf(this.#statsRecorder);
    const removing = this.#loopOf(new AccountRemover(options));
    options.deletionBell.listen(() => removing.wake());
    this.#upkeep = [
      this.#recording,
      this.#loopOf(this.#deliverySwitch),
      this.#beating,
      this.#loopOf(new Janitor(options)),
      removing,
    ];
    this.handOver = this.#dispatcher;
  }

  get load(): NodeLoad {
    return { slotsUsed: this.#dispatcher.slotsUsed, slotsMax: this.#options.limits.slots };
  }

  get isStandingStill(): boolean {
    return this.#deliverySwitch.isStandingStill;
  }

  get lostNodes(): readonly SeenNode[] {
    return this.#heartbeat.lost.recent();
  }

  get isStandbyMissing(): boolean {
    return this.#heartbeat.standby.isMissing;
  }

  /** Joins the other nodes, or recovers the leases of an earlier process, and starts to deliver. */
  async start(): Promise<Recovery> {
    try {
      return await this.#start();
    } catch (error) {
      // The other nodes would take over from a node that has never worked.
      await this.stop(0);
      await this.leave();
      throw error;
    }
  }

  async #start(): Promise<Recovery> {
    await this.#membership.beat();
    await this.#heartbeat.standby.look();
    const taken = this.#options.alone
      ? await this.#heartbeat.takeOver("others")
      : { waiting: 0, canceled: 0 };
    // Nothing is sent before the pause switch has been read.
    await this.#deliverySwitch.runOnce();
    this.#dispatcher.start();
    for (const loop of [...this.#upkeep, ...this.#producers]) loop.start();
    const { waiting } = await this.#options.store.reader.upkeep.counts();
    return { resumed: taken.waiting, canceled: taken.canceled, waiting };
  }

  /**
   * Finishes attempts in progress, for at most `graceMs`, and hands back the rest. A lease that the
   * store cannot release soon afterwards stays, until another node or the next start takes it over.
   */
  async stop(graceMs: number): Promise<void> {
    const { clock } = this.#options;
    const cancelTimer = clock.after(graceMs + RECORDING_MS, () => this.#settler.giveUp());
    await Promise.all([this.#dispatcher.stop(graceMs), ...stopAll(this.#producers)]);
    await Promise.all(stopAll(this.#upkeep));
    cancelTimer();
  }

  /**
   * After the last request and attempt: writes what is left of the counts, and removes this node
   * from the list of nodes. A store that is away keeps no node from stopping.
   */
  async leave(): Promise<void> {
    await this.#statsRecorder.finish();
    try {
      await this.#membership.leave();
    } catch (error) {
      this.#options.log.warn(
        "this node stays in the list until others take over from it",
        failureFields(error),
      );
    }
  }

  #loopOf(chore: Chore): Loop {
    const { runOnce, onError } = watchedChore(chore, this.#options.log);
    return new Loop(this.#options.clock, runOnce, onError);
  }
}

function stopAll(loops: readonly Loop[]): Promise<void>[] {
  return loops.map((loop) => loop.stop());
}

/** Time for the store to record the attempts that were ended at the deadline. */
const RECORDING_MS = 2_000;

export function engineLimits(
  { maxLogBytes, maxBatchBytes }: Settings,
  { deliveries }: OpenFiles,
): EngineLimits {
  return {
    slots: deliveries,
    slotsPerHost: SLOTS_PER_HOST,
    bytesMax: 128 * 1024 * 1024,
    logBytesMax: maxLogBytes,
    storedBytesMax: maxBatchBytes,
  };
}

const SLOTS_PER_HOST = 256;

/** Connections to one host, over all accounts. */
export const CONNECTIONS_OF_HOST_MAX = slotsOfHost(SLOTS_PER_HOST);
