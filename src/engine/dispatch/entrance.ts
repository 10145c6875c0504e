import type { Attempt } from "../../core/model/message/attempt.ts";
import { type FairTurns, weightOf } from "../../platform/fair-turns.ts";
import type { LeasedMessage } from "../../store/store.ts";
import type { DeliverySwitch } from "./delivery-switch.ts";
import type { Turn } from "./host-slots.ts";
import type { Load, Slots } from "./slots.ts";
import type { UnderWay } from "./under-way.ts";

export interface EntranceOptions {
  readonly turns: FairTurns;
  readonly slots: Slots;
  /** Whether acts wait for claims, as where one thread writes all. */
  readonly actsAwaitClaims: boolean;
  readonly underWay: UnderWay;
  readonly deliverySwitch: DeliverySwitch;
  readonly mayStart: () => boolean;
  readonly leaveHost: (load: Load) => void;
}

/** A message waits for a slot of its host while the host answers, and accounts take turns. */
export class Entrance {
  readonly #options: EntranceOptions;
  readonly #turns: FairTurns;

  constructor(options: EntranceOptions) {
    this.#options = options;
    this.#turns = options.turns;
  }

  /** How many of the free slots one claim may fill. */
  get claimable(): number {
    const { slots, actsAwaitClaims } = this.#options;
    const { free, keptForNew } = slots;
    if (!this.#turns.isShared) return free;
    return Math.min(free - keptForNew, actsAwaitClaims ? CLAIMED_BEFORE_ACTS_MAX : CLAIMED_MAX);
  }

  /** Whether it may be sent; it then holds a slot of its host. */
  enter(leased: LeasedMessage, load: Load): boolean | Promise<boolean> {
    const { slots, deliverySwitch, leaveHost } = this.#options;
    const turn = slots.hosts.enter(load);
    if (turn !== null) return this.#enterLater(leased, load, turn);
    if (!deliverySwitch.isOff) return this.#takeTurn(leased, load);
    leaveHost(load);
    return false;
  }

  /** The turn in which a large answer may be settled: it is copied and written as a whole. */
  settling(accountId: string, { outcome }: Attempt): Promise<unknown> | null {
    const bytes = outcome.kind === "answer" ? outcome.body.byteLength : 0;
    return bytes > LARGE_BYTES ? this.#turns.enter(accountId, weightOf(bytes)) : null;
  }

  async #enterLater(leased: LeasedMessage, load: Load, turn: Turn): Promise<boolean> {
    this.#options.underWay.begin(leased, { abort: turn.giveUp });
    if (!(await turn.granted)) return false;
    return this.#isOpen(load) && this.#takeTurn(leased, load);
  }

  #takeTurn(leased: LeasedMessage, load: Load): boolean | Promise<boolean> {
    const turn = this.#turns.enter(load.accountId, weightOf(load.bytes));
    return turn === null || this.#awaitTurn(leased, load, turn);
  }

  async #awaitTurn(leased: LeasedMessage, load: Load, turn: Promise<unknown>): Promise<boolean> {
    let isAborted = false;
    this.#options.underWay.begin(leased, { abort: () => (isAborted = true) });
    await turn;
    return this.#isOpen(load, isAborted);
  }

  /** After a wait all is checked again: a node that has confirmed a pause starts nothing. */
  #isOpen(load: Load, isAborted = false): boolean {
    const { mayStart, leaveHost } = this.#options;
    const isOpen = !isAborted && mayStart();
    if (!isOpen) leaveHost(load);
    return isOpen;
  }
}

/** A claim of more would make the event loop begin too much at once; the next one follows at once. */
const CLAIMED_MAX = 64;
/** As many as the acts of an account may be in a group. Far fewer would cost more for each message. */
const CLAIMED_BEFORE_ACTS_MAX = 32;
/** Smaller answers are settled at once. */
const LARGE_BYTES = 64 * 1024;
