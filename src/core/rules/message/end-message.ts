import type { Change } from "../../change.ts";
import { lineKind } from "../../model/line/line.ts";
import type { MessageState } from "../../model/message/message-state.ts";

/**
 * A message has ended: its row goes, its place in a key is free, and so is its queue's slot, unless
 * something that is made of it goes on holding that.
 */
export function endMessage(state: MessageState, followUps: readonly Change[] = []): Change[] {
  const changes: Change[] = [{ type: "message.ended", key: state }, ...freeLine(state)];
  const { accountId, queue } = state;
  if (queue !== null && followUps.length === 0) {
    changes.push({ type: "line.freed", accountId, line: queue });
  }
  return [...changes, ...followUps];
}

/** An attempt under a flow-control key has ended, so that the key may let another one through. */
export function freeLine(state: MessageState): Change[] {
  const { accountId, line, phase } = state;
  return phase === "active" && lineKind(line) === "key"
    ? [{ type: "line.freed", accountId, line }]
    : [];
}
