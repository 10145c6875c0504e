import { lineKind, type Room, windowAfter, type LineKey } from "../../../core/model/line/line.ts";
import type { MessageState } from "../../../core/model/message/message.ts";
import type { ClaimBudget } from "../../claim-budget.ts";
import { lineKey } from "../../group/row-keys.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import type { Session } from "../driver/conversation.ts";
import { tryLockSuspects } from "./line-lock.ts";
import { addRows, inOrder, openLines, roomIn, toLineKey, toWaiting } from "./lines.ts";
import { park } from "./queues.ts";
import { accountRooms, lease } from "./serve.ts";

/** One suspect runs at a time in the whole cluster, so that the one that kills nodes is found. */
export async function takeSuspect(session: Session, budget: ClaimBudget): Promise<MessageState[]> {
  if (budget.slots === 0) return [];
  const { now } = budget.request;
  const [isLocked, rows] = await Promise.all([
    tryLockSuspects(session),
    session.query(CLAIM_SQL.suspects, [now]),
  ]);
  if (!isLocked || rows.length === 0) return [];
  const suspects = rows.map((row) => toWaiting(row, toLineKey(row)));
  const keyed = inOrder(suspects.filter(isKeyed)).map((each) => ({ ...each, readyFrom: 0 }));
  const [, opened, , rooms] = await Promise.all([
    addRows(session, keyed),
    openLines(session, keyed, now, () => 0),
    park(session, suspects, now),
    accountRooms(
      session,
      suspects.map(({ accountId }) => accountId),
    ),
  ]);
  const keys = new Map(opened.map((key) => [lineKey(key.line), key]));
  for (const suspect of suspects) {
    if (suspect.pausedQueue !== null) continue;
    const key = keys.get(lineKey(suspect));
    // A key that is not locked here is being served by another claim.
    const room = key ? roomIn(key.state, key.line.running, now) : null;
    if (isKeyed(suspect) && (room === null || room.count === 0)) continue;
    if (rooms.get(suspect.accountId) === 0 || !budget.affords(suspect)) continue;
    const leased = await lease(session, [suspect], budget);
    if (leased.length === 0) continue;
    budget.spend(suspect.line, suspect);
    if (room !== null) await countStart(session, suspect, room);
    return leased;
  }
  return [];
}

async function countStart(session: Session, key: LineKey, room: Room): Promise<void> {
  const { windowStartedAt, windowStarts } = windowAfter(room, 1);
  const values = [key.accountId, key.line, windowStartedAt, windowStarts];
  await session.query(CLAIM_SQL.countStart, values);
}

function isKeyed({ line }: LineKey): boolean {
  return lineKind(line) === "key";
}
