import { lineKind } from "../../../core/model/line/line.ts";
import type { ClaimedLease, ClaimBudget } from "../../claim-budget.ts";
import type { Row } from "../../records/rows.ts";
import { pairKey } from "../../group/row-keys.ts";
import { accountRooms } from "./account-rooms.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import type { Session } from "../driver/conversation.ts";
import { lease } from "./lease.ts";
import { tryLockRoom, tryLockSuspects } from "./line-lock.ts";
import {
  type Line,
  type LineState,
  readLineStates,
  nameColumns,
  roomIn,
  toLine,
} from "./line-state.ts";
import { park } from "./park.ts";

/** One suspect runs at a time in the whole cluster, so that the one that kills nodes is found. */
export async function takeSuspect(session: Session, budget: ClaimBudget): Promise<ClaimedLease[]> {
  if (budget.slots === 0 || !(await tryLockSuspects(session))) return [];
  const { now } = budget.request;
  const suspects = await session.query(CLAIM_SQL.suspects, [now]);
  if (suspects.length === 0) return [];
  const keys = await lockKeys(session, suspects);
  const states = await readLineStates(session, keys);
  await park(session, suspects.map(toCandidate), now);
  const accountIds = suspects.map((row) => row["account_id"] as string);
  const rooms = await accountRooms(session, accountIds);
  for (const row of suspects) {
    const candidate = toCandidate(row);
    if (candidate.pausedQueue !== null) continue;
    const index = keys.findIndex((key) => pairKey(key.accountId, key.line) === keyOf(row));
    const key = keys[index];
    const isKeyed = lineKind(candidate.line) === "key";
    // A key that is not locked here is being served by another claim.
    const room = key ? roomIn(states[index] as LineState, key.running, now) : null;
    const open = isKeyed ? (room?.count ?? 0) > 0 : true;
    const accountOpen = (rooms.get(candidate.accountId) ?? Infinity) > 0;
    if (!open || !accountOpen || !budget.affords(candidate)) continue;
    const leased = await lease(session, [candidate], budget);
    if (leased.length === 0) continue;
    budget.spend(candidate.line, candidate);
    if (room && key) await countStart(session, key, room.windowStartedAt, room.windowStarts + 1);
    return leased;
  }
  return [];
}

/** The keys of the suspects, without those that another claim is serving. */
async function lockKeys(session: Session, suspects: readonly Row[]): Promise<Line[]> {
  const keyed = suspects.filter((row) => lineKind(row["line"] as string) === "key");
  const names = new Map(
    keyed.map((row) => [
      keyOf(row),
      { accountId: row["account_id"] as string, line: row["line"] as string },
    ]),
  );
  if (names.size === 0) return [];
  const sorted = [...names.keys()].toSorted().flatMap((key) => names.get(key) ?? []);
  const [, rows] = await Promise.all([
    session.query(CLAIM_SQL.addLines, nameColumns(sorted)),
    session.query(CLAIM_SQL.lockLines, nameColumns(sorted)),
  ]);
  return [...(await tryLockRoom(session, rows.map(toLine)))];
}

async function countStart(
  session: Session,
  { accountId, line }: Line,
  windowStartedAt: number,
  windowStarts: number,
): Promise<void> {
  const values = [accountId, line, windowStartedAt, windowStarts];
  await session.query(CLAIM_SQL.countStart, values);
}

function toCandidate(row: Row) {
  return {
    accountId: row["account_id"] as string,
    messageId: row["message_id"] as string,
    line: row["line"] as string,
    host: row["host"] as string,
    bytes: row["bytes"] as number,
    pausedQueue: row["paused_queue"] as string | null,
  };
}

const keyOf = (row: Row): string => pairKey(row["account_id"] as string, row["line"] as string);
