import { queueLine } from "../../core/model/line/line.ts";
import type { NextInQueue } from "../../core/rules/message/next-in-queue.ts";
import type { LeasedMessage } from "../../store/store.ts";
import type { Membership } from "../cluster/membership.ts";
import type { AccountBacklog } from "./backlog.ts";
import type { Load, Slots } from "./slots.ts";

/** To which node another message may be leased, in the slot of one that is settled. */
export interface SlotForNext {
  /** For a follow-up; null when other messages wait for the slot. */
  forReply(): string | null;
  /** For the next message of its queue, which may be one of many. */
  inQueue(leased: LeasedMessage): Omit<NextInQueue, "leasedAt"> | undefined;
}

export const NO_SLOT: SlotForNext = { forReply: () => null, inQueue: () => undefined };

/** The message that takes the slot. */
export type Next = LeasedMessage | null;

/** What may wait for a slot that comes free. */
interface Waiting {
  readonly backlog: AccountBacklog;
  /** Whether messages wait for its host. */
  readonly hasBacklog: (load: Load) => boolean;
  readonly mayStart: () => boolean;
}

/** Which slots another message may take without a claim. */
export class SlotsForNext {
  readonly #membership: Membership;
  readonly #slots: Slots;
  readonly #waiting: Waiting;

  constructor(membership: Membership, slots: Slots, waiting: Waiting) {
    this.#membership = membership;
    this.#slots = slots;
    this.#waiting = waiting;
  }

  /** Behind a message that did not wait itself seldom another one waits. */
  of(load: Load, hasWaited: boolean): SlotForNext {
    const [membership, slots] = [this.#membership, this.#slots];
    return {
      forReply: () => (this.#isOpen(load) ? membership.nodeId : null),
      inQueue: ({ message, host }) => {
        const queue = queueLine(message.queueName!);
        const room = { nodeId: membership.nodeId, host, bytesMax: slots.bytesInPlaceOf(load) };
        return hasWaited && this.#mayContinue(load) ? { queue, ...room } : undefined;
      },
    };
  }

  #isOpen(load: Load): boolean {
    const { backlog, hasBacklog, mayStart } = this.#waiting;
    return mayStart() && !backlog.has(load.accountId) && !hasBacklog(load);
  }

  /**
   * A queue may never end, so its next message is like one that is published now: while this node
   * has few slots left, claims share them out.
   */
  #mayContinue(load: Load): boolean {
    const { backlog, hasBacklog, mayStart } = this.#waiting;
    const mayOvertake = !backlog.has(load.accountId) || this.#slots.hosts.hasPlenty(load);
    return mayOvertake && mayStart() && !hasBacklog(load) && this.#slots.hasSpareSlots(load);
  }
}
