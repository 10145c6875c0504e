import { lineKind, type Room } from "../../core/model/line.ts";
import { PASSED_OVER_MAX, shareOf } from "../../core/rules/turns.ts";
import type { ClaimedLease, Purse } from "../purse.ts";
import { pairKey } from "../working-set.ts";
import type { AccountRooms } from "./account-rooms.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import type { Session } from "./connection.ts";
import { type Candidate, lease } from "./lease.ts";
import { type Line, type Look, nameColumns, roomIn } from "./line-look.ts";
import type { Visit } from "./visit.ts";

interface Serving {
  readonly line: Line;
  readonly room: Room;
  /** How many of its messages are looked at. */
  readonly fetched: number;
  readonly candidates: Candidate[];
}

interface Chosen {
  readonly serving: Serving;
  readonly asked: number;
  readonly messages: readonly Candidate[];
  readonly passedOver: boolean;
}

/** Gives the free slots to the lines in turn, each an equal part of what is left. */
export async function serve(
  session: Session,
  lines: readonly Line[],
  looks: readonly Look[],
  rooms: AccountRooms,
  purse: Purse,
): Promise<{ leased: ClaimedLease[]; visits: Visit[] }> {
  const servings = lines.map((line, place): Serving => {
    const room = roomIn(looks[place] as Look, line.running, purse.request.now);
    return { line, room, fetched: fetchMax(line, room, lines.length, purse), candidates: [] };
  });
  await readCandidates(session, servings, purse.request.now);
  const chosen = servings.map((serving, place) =>
    choose(serving, lines.length - place, rooms, purse),
  );
  const wanted = chosen.flatMap(({ messages }) => messages);
  const leased = await lease(session, wanted, purse);
  const took = new Map<string, number>();
  for (const { accountId, line } of leased) {
    const key = pairKey(accountId, line);
    took.set(key, (took.get(key) ?? 0) + 1);
  }
  return { leased, visits: chosen.map((each) => visitOf(each, took)) };
}

/**
 * How many of a line are worth reading. When many lines are due, none can hope for much more than
 * its part; a line that is left with more is served again by the next claim.
 */
function fetchMax({ line }: Line, { count }: Room, lines: number, purse: Purse): number {
  const hoped = FETCH_MIN + FETCH_SHARES * shareOf(purse.slots, lines);
  const wanted = Math.min(count, purse.roomFor(line), hoped);
  if (wanted === 0) return 0;
  const many = lines > FETCH_SHARES && (lineKind(line) !== "key" || purse.fullLines.length === 0);
  return wanted + (many ? 0 : PASSED_OVER_MAX);
}

async function readCandidates(
  session: Session,
  servings: readonly Serving[],
  now: number,
): Promise<void> {
  const reading = servings.filter(({ fetched }) => fetched > 0);
  if (reading.length === 0) return;
  const names = nameColumns(reading.map(({ line }) => line));
  const counts = reading.map(({ fetched }) => fetched);
  for (const row of await session.query(CLAIM_SQL.ready, [...names, counts, now])) {
    const serving = reading[(row["place"] as number) - 1];
    serving?.candidates.push({
      accountId: serving.line.accountId,
      messageId: row["message_id"] as string,
      host: row["host"] as string,
      bytes: row["bytes"] as number,
    });
  }
}

function choose(serving: Serving, linesLeft: number, rooms: AccountRooms, purse: Purse): Chosen {
  const { line, room, fetched, candidates } = serving;
  const accountRoom = rooms.get(line.accountId) ?? Infinity;
  const share = shareOf(purse.slotsFor(line.line), linesLeft);
  const asked = Math.min(room.count, share, accountRoom, purse.roomFor(line.line), fetched);
  const messages: Candidate[] = [];
  let passedOver = accountRoom === 0;
  for (const candidate of candidates) {
    if (messages.length === asked) break;
    if (purse.affords(candidate)) {
      purse.spend(line.line, candidate);
      messages.push(candidate);
    } else {
      passedOver = true;
    }
  }
  rooms.set(line.accountId, accountRoom - messages.length);
  return { serving, asked, messages, passedOver };
}

function visitOf(chosen: Chosen, counts: ReadonlyMap<string, number>): Visit {
  const { line, room } = chosen.serving;
  const took = counts.get(pairKey(line.accountId, line.line)) ?? 0;
  const passedOver = chosen.passedOver || took < chosen.messages.length;
  return { line, room, asked: chosen.asked, took, passedOver };
}

const FETCH_MIN = 16;
const FETCH_SHARES = 4;
