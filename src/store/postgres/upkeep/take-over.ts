import { loseLease } from "../../../core/rules/message/lease.ts";
import type { ClockTime } from "../../../platform/clock.ts";
import type { ClaimedLease } from "../../claim-budget.ts";
import { toMessageState } from "../../records/rows.ts";
import type { DeadNode, TakeOverRequest } from "../../store.ts";
import type { StatsTally } from "../../group/stats-tally.ts";
import { WorkingSet } from "../../group/working-set.ts";
import type { TimeOf } from "../claim/claim.ts";
import type { Connections } from "../driver/connection.ts";
import type { Session } from "../driver/conversation.ts";
import { write } from "../group/write.ts";

const PAGE_MAX = 500;

export interface TakenOver {
  waiting: number;
  canceled: number;
  readonly poison: ClaimedLease[];
}

/** The leases to take: a condition on messages, and its value. */
interface From {
  readonly condition: string;
  readonly nodeId: string;
}

/**
 * Takes the leases of dead nodes, one page for each transaction. Skips messages that another
 * transaction is settling; if that one fails, the lease shows its node in the next beat.
 */
export async function takeOver(
  connections: Connections,
  { nodeId, from, ...given }: TakeOverRequest,
  timeOf: TimeOf,
  stats: StatsTally,
): Promise<TakenOver> {
  const all: TakenOver = { waiting: 0, canceled: 0, poison: [] };
  async function takePages(whose: From): Promise<void> {
    for (let found = PAGE_MAX; found === PAGE_MAX;) {
      const timeIn = timeOf(given);
      const page = await connections.transaction(async (session) =>
        takePage(session, whose, nodeId, timeIn(await session.now())),
      );
      all.waiting += page.waiting;
      all.canceled += page.canceled;
      all.poison.push(...page.poison);
      stats.add(page.rows);
      found = page.found;
    }
  }
  if (from === "others") {
    await takePages({ condition: "(node_id < $1 OR node_id > $1)", nodeId });
    await connections.transaction((session) => session.query(SQL.removeOthers, [nodeId]));
    return all;
  }
  for (const dead of from) {
    if (!(await connections.transaction((session) => removeDeadNode(session, dead)))) continue;
    await takePages({ condition: "node_id = $1", nodeId: dead.nodeId });
  }
  return all;
}

/**
 * The node's row is removed first: if the node lives after all, its next beat tells it that it was
 * declared dead.
 */
async function removeDeadNode(session: Session, { nodeId, beats }: DeadNode): Promise<boolean> {
  await session.query(SQL.removeNode, [nodeId, beats]);
  return (await session.query(SQL.node, [nodeId])).length === 0;
}

async function takePage(
  session: Session,
  { condition, nodeId: from }: From,
  nodeId: string,
  time: ClockTime,
): Promise<TakenOver & { found: number; rows: WorkingSet }> {
  const page = await session.query(leasedBy(condition), [from]);
  const rows = new WorkingSet(time);
  const taken: TakenOver = { waiting: 0, canceled: 0, poison: [] };
  for (const state of page.map(toMessageState)) {
    const { kind, changes } = loseLease(state, nodeId, time.now);
    rows.apply(changes);
    if (kind === "poison") taken.poison.push({ ...state, fence: state.fence + 1 });
    else taken[kind] += 1;
  }
  await write(session, rows, time);
  return { ...taken, found: page.length, rows };
}

// messages_leased
const leasedBy = (condition: string): string =>
  `SELECT * FROM messages WHERE phase = 1 AND ${condition}
   LIMIT ${PAGE_MAX} FOR UPDATE SKIP LOCKED`;

const SQL = {
  node: "SELECT 1 FROM nodes WHERE node_id = $1",
  removeNode: "DELETE FROM nodes WHERE node_id = $1 AND beats <= $2",
  removeOthers: "DELETE FROM nodes WHERE node_id <> $1",
} as const;
