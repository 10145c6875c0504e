import type { Change } from "../../change.ts";
import { lineKind } from "../../model/line/line.ts";
import type { MessageState } from "../../model/message/message.ts";
import type { Instant } from "../../model/time.ts";

/**
 * Ends a message: its row is deleted and its key's slot is freed, and so is its queue's slot,
 * unless a message that follows holds it: a follow-up, or the next one of the queue.
 */
export function endMessage(state: MessageState, followUps: readonly Change[] = []): Change[] {
  const changes: Change[] = [{ type: "message.ended", key: state }, ...freeLine(state)];
  const { accountId, queue } = state;
  if (queue !== null && followUps.length === 0) {
    changes.push({ type: "line.freed", accountId, line: queue });
  }
  return [...changes, ...followUps];
}

/** An attempt under a flow-control key has ended, so another message of the key may start. */
export function freeLine(state: MessageState): Change[] {
  const { accountId, line, phase } = state;
  return phase === "active" && lineKind(line) === "key"
    ? [{ type: "line.freed", accountId, line }]
    : [];
}

/** Cancels a message. An attempt in progress may still end, and is not retried. */
export function cancelMessage(state: MessageState, at: Instant): Change[] {
  if (state.phase === "waiting") return endCanceled(state, at);
  return [{ type: "message.changed", state: { ...state, cancelRequested: true } }];
}

export function endCanceled(state: MessageState, at: Instant): Change[] {
  const { accountId, messageId } = state;
  return [
    { type: "log.added", entry: { accountId, messageId, at, state: "CANCELED" } },
    ...endMessage(state),
  ];
}
