import type { Change } from "../change.ts";
import { lineKind } from "../model/line.ts";
import type { Instant } from "../model/message.ts";
import type { MessageState } from "../model/message-state.ts";

/** A message has ended: its row goes, its place in a key or a queue is free. */
export function endMessage(state: MessageState, at: Instant): Change[] {
  const changes: Change[] = [{ type: "message.ended", key: state }, ...freeLine(state, at)];
  const { accountId, rootId } = state;
  // One that waits in a queue may have been admitted before; if it was not, there is no such hold.
  if (rootId !== null) changes.push({ type: "hold.changed", accountId, rootId, by: -1 });
  return changes;
}

/** An attempt under a flow-control key has ended, so that the key may let another one through. */
export function freeLine(state: MessageState, at: Instant): Change[] {
  const { accountId, line, phase } = state;
  return phase === "active" && lineKind(line) === "key"
    ? [{ type: "line.freed", accountId, line, at }]
    : [];
}
