import { loseLease } from "../../../core/rules/message/lease.ts";
import type { ClockTime } from "../../../platform/clock.ts";
import type { ClaimedLease } from "../../claim-budget.ts";
import { toMessageState } from "../../records/rows.ts";
import type { DeadNode, TakeOverRequest } from "../../store.ts";
import { WorkingSet } from "../../group/working-set.ts";
import type { TimeOf } from "../claim/claim.ts";
import type { Connections } from "../driver/connection.ts";
import type { Session } from "../driver/conversation.ts";
import { write } from "../group/write.ts";

const PAGE_MAX = 500;

export interface TakenOver {
  waiting: number;
  cancelled: number;
  readonly poison: ClaimedLease[];
}

/** Whose leases a page is taken from: a condition on messages, and its value. */
interface From {
  readonly condition: string;
  readonly nodeId: string;
}

/**
 * Takes leases away from nodes that are gone, a page to a transaction. What somebody is settling
 * meanwhile is passed by; should that come to nothing, the lease shows its node in the next beat.
 */
export async function takeOver(
  connections: Connections,
  { nodeId, from, ...given }: TakeOverRequest,
  timeOf: TimeOf,
): Promise<TakenOver> {
  const all: TakenOver = { waiting: 0, cancelled: 0, poison: [] };
  async function takePages(whose: From): Promise<void> {
    for (let found = PAGE_MAX; found === PAGE_MAX;) {
      const hear = timeOf(given);
      const page = await connections.transaction(async (session) =>
        takePage(session, whose, nodeId, hear(await session.now())),
      );
      all.waiting += page.waiting;
      all.cancelled += page.cancelled;
      all.poison.push(...page.poison);
      found = page.found;
    }
  }
  if (from === "others") {
    await takePages({ condition: "(node_id < $1 OR node_id > $1)", nodeId });
    await connections.transaction((session) => session.query(SQL.forgetOthers, [nodeId]));
    return all;
  }
  for (const dead of from) {
    if (!(await connections.transaction((session) => bury(session, dead)))) continue;
    await takePages({ condition: "node_id = $1", nodeId: dead.nodeId });
  }
  return all;
}

/** A node's row goes first: should it live after all, its next beat tells it that it was dead. */
async function bury(session: Session, { nodeId, beats }: DeadNode): Promise<boolean> {
  await session.query(SQL.forgetNode, [nodeId, beats]);
  return (await session.query(SQL.node, [nodeId])).length === 0;
}

async function takePage(
  session: Session,
  { condition, nodeId: from }: From,
  nodeId: string,
  time: ClockTime,
): Promise<TakenOver & { found: number }> {
  const page = await session.query(leasedBy(condition), [from]);
  const rows = new WorkingSet(time);
  const taken: TakenOver = { waiting: 0, cancelled: 0, poison: [] };
  for (const state of page.map(toMessageState)) {
    const { kind, changes } = loseLease(state, nodeId, time.now);
    rows.apply(changes);
    if (kind === "poison") taken.poison.push({ ...state, fence: state.fence + 1 });
    else taken[kind] += 1;
  }
  await write(session, rows, time);
  return { ...taken, found: page.length };
}

// messages_leased
const leasedBy = (condition: string): string =>
  `SELECT * FROM messages WHERE phase = 1 AND ${condition}
   LIMIT ${PAGE_MAX} FOR UPDATE SKIP LOCKED`;

const SQL = {
  node: "SELECT 1 FROM nodes WHERE node_id = $1",
  forgetNode: "DELETE FROM nodes WHERE node_id = $1 AND beats <= $2",
  forgetOthers: "DELETE FROM nodes WHERE node_id <> $1",
} as const;
