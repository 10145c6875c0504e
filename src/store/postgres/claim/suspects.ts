import { lineKind } from "../../../core/model/line/line.ts";
import type { ClaimedLease, ClaimBudget } from "../../claim-budget.ts";
import type { Row } from "../../records/rows.ts";
import { pairKey } from "../../group/row-keys.ts";
import { roomsOf } from "./account-rooms.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import type { Session } from "../driver/conversation.ts";
import { lease } from "./lease.ts";
import { ownRoom, ownSuspects } from "./line-lock.ts";
import {
  type Line,
  type LineState,
  readLineStates,
  nameColumns,
  roomIn,
  toLine,
} from "./line-look.ts";
import { park } from "./park.ts";

/** Suspects run one at a time in the whole cluster, so that one that kills is found alone. */
export async function takeSuspect(session: Session, purse: ClaimBudget): Promise<ClaimedLease[]> {
  if (purse.slots === 0 || !(await ownSuspects(session))) return [];
  const { now } = purse.request;
  const suspects = await session.query(CLAIM_SQL.suspects, [now]);
  if (suspects.length === 0) return [];
  const keys = await lockKeys(session, suspects);
  const looks = await readLineStates(session, keys);
  await park(session, suspects.map(toCandidate), now);
  const accountIds = suspects.map((row) => row["account_id"] as string);
  const rooms = await roomsOf(session, accountIds);
  for (const row of suspects) {
    const candidate = toCandidate(row);
    if (candidate.pausedQueue !== null) continue;
    const index = keys.findIndex((key) => pairKey(key.accountId, key.line) === keyOf(row));
    const key = keys[index];
    const isKeyed = lineKind(candidate.line) === "key";
    // A key that is not held is one that another claim is serving.
    const room = key ? roomIn(looks[index] as LineState, key.running, now) : null;
    const open = isKeyed ? (room?.count ?? 0) > 0 : true;
    const accountOpen = (rooms.get(candidate.accountId) ?? Infinity) > 0;
    if (!open || !accountOpen || !purse.affords(candidate)) continue;
    const leased = await lease(session, [candidate], purse);
    if (leased.length === 0) continue;
    purse.spend(candidate.line, candidate);
    if (room && key) await countStart(session, key, room.windowStartedAt, room.windowStarts + 1);
    return leased;
  }
  return [];
}

/** The keys in which suspects stand, as far as no other claim is serving them. */
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
  return [...(await ownRoom(session, rows.map(toLine)))];
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
