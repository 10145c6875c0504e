import type { ClockTime } from "../../../platform/clock.ts";
import type { DeadNode, TakeOverRequest } from "../../store.ts";
import type { StatsTally } from "../../group/stats-tally.ts";
import { LEASES_TAKEN_MAX, TakenOver, type TakenPage, takePage } from "../../upkeep/take-over.ts";
import type { TimeOf } from "../claim/claim.ts";
import type { Connections } from "../driver/connection.ts";
import type { Session } from "../driver/conversation.ts";
import { write } from "../group/write.ts";

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
  const taken = new TakenOver();
  async function takePages(whose: From): Promise<void> {
    for (let found = LEASES_TAKEN_MAX; found === LEASES_TAKEN_MAX;) {
      const timeIn = timeOf(given);
      const page = await connections.transaction(async (session) =>
        take(session, whose, nodeId, timeIn(await session.now())),
      );
      taken.add(page);
      stats.add(page.rows);
      found = page.lost.length;
    }
  }
  if (from === "others") {
    await takePages({ condition: "(node_id < $1 OR node_id > $1)", nodeId });
    await connections.transaction((session) => session.query(SQL.removeOthers, [nodeId]));
    return taken;
  }
  for (const dead of from) {
    if (!(await connections.transaction((session) => removeDeadNode(session, dead)))) continue;
    await takePages({ condition: "node_id = $1", nodeId: dead.nodeId });
  }
  return taken;
}

/** The row goes first: the next beat of a node that lives after all finds it declared dead. */
async function removeDeadNode(session: Session, { nodeId, beats }: DeadNode): Promise<boolean> {
  await session.query(SQL.removeNode, [nodeId, beats]);
  return (await session.query(SQL.node, [nodeId])).length === 0;
}

async function take(
  session: Session,
  { condition, nodeId: from }: From,
  nodeId: string,
  time: ClockTime,
): Promise<TakenPage> {
  const page = takePage(await session.query(leasedBy(condition), [from]), nodeId, time);
  await write(session, page.rows, time);
  return page;
}

// messages_leased
const leasedBy = (condition: string): string =>
  `SELECT * FROM messages WHERE phase = 1 AND ${condition}
   LIMIT ${LEASES_TAKEN_MAX} FOR UPDATE SKIP LOCKED`;

const SQL = {
  node: "SELECT 1 FROM nodes WHERE node_id = $1",
  removeNode: "DELETE FROM nodes WHERE node_id = $1 AND beats <= $2",
  removeOthers: "DELETE FROM nodes WHERE node_id <> $1",
} as const;
