import type { Change } from "../../change.ts";
import { lineKind, type QueueHead } from "../../model/line/line.ts";
import { type GrantedLease, isSuspect, type MessageState } from "../../model/message/message.ts";
import type { Instant } from "../../model/time.ts";
import type { Rows } from "../../rule.ts";

/** The room that a node has for the next message of a queue when one of it is delivered. */
export interface NextInQueue {
  /** The queue's line. */
  readonly queue: string;
  readonly nodeId: string;
  /** A settlement may be tried for long, but a lease is as old as the try that got it. */
  readonly leasedAt: Instant;
  /** The one host for which the node has a slot. */
  readonly host: string;
  readonly bytesMax: number;
}

/** The message was settled, and the next one of its queue is leased. */
export interface NextLeased {
  readonly kind: "next-leased";
  readonly next: GrantedLease;
}

export function isNextLeased(answer: unknown): answer is NextLeased {
  return typeof answer === "object" && (answer as Partial<NextLeased>)?.kind === "next-leased";
}

/** A message that takes over the slot of another in their queue. */
interface Successor {
  readonly granted: GrantedLease;
  readonly changes: readonly Change[];
}

/**
 * The first message of the queue, leased in place of one that ends and that nothing follows. The
 * queue holds as many messages as before, so nothing is counted that another transaction may count
 * too. Null when that takes more than the common case; then the slot comes free, and a claim decides.
 */
export function successorOf(
  ended: MessageState,
  next: NextInQueue | undefined,
  rows: Rows,
): Successor | null {
  const { accountId, queue } = ended;
  // A report may outlive the message, and then holds the slot in its place.
  if (next === undefined || queue !== next.queue || ended.rootId !== ended.messageId) return null;
  const head = rows.head({ accountId, line: queue });
  return head !== null && mayFollow(head, next) ? leased(head.state, next) : null;
}

function mayFollow({ state, isDirect, limits, held }: QueueHead, next: NextInQueue): boolean {
  const { lineAfter, attempts, host, bytes } = state;
  return (
    isDirect &&
    !limits.paused &&
    limits.rate === null &&
    // After a limit was lowered a slot that comes free is not for the next message.
    held <= (limits.parallelism ?? Infinity) &&
    lineAfter !== null &&
    lineKind(lineAfter) === "host" &&
    attempts === 0 &&
    !isSuspect(state) &&
    host === next.host &&
    bytes <= next.bytesMax
  );
}

function leased(state: MessageState, { nodeId, leasedAt: at }: NextInQueue): Successor {
  const { accountId, messageId, line: queue, lineAfter, host, attempts } = state;
  const fence = state.fence + 1;
  const lease = { phase: "active", fence, nodeId, leasedAt: at } as const;
  return {
    granted: { accountId, messageId, fence, host, attempts },
    changes: [
      {
        type: "message.changed",
        state: { ...state, ...lease, line: lineAfter!, lineAfter: null, queue },
      },
      {
        type: "log.added",
        entry: { accountId, messageId, at, state: "ACTIVE", attempt: attempts + 1 },
      },
    ],
  };
}
