import type { ClockTime } from "../../../platform/clock.ts";
import { nodesIn } from "../../records/rows.ts";
import type { NodeFacts } from "../../node-facts.ts";
import type { Beat } from "../../store.ts";
import { type Connections, IMMEDIATE } from "../driver/connection.ts";
import type { Session } from "../driver/conversation.ts";
import { schemaInfo } from "./migrate.ts";

/** Keeps the rows of the nodes, on a connection of its own. */
export class BeatNode {
  readonly #connections: Connections;
  readonly #joined = new Set<string>();

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  async beat(
    nodeId: string,
    hear: (storeAt: number) => ClockTime,
    isPaused: boolean,
    facts: NodeFacts,
  ): Promise<Beat> {
    const joined = this.#joined.has(nodeId);
    const beat = await this.#connections.transaction(async (session) => {
      const { now, aheadMs } = hear(await session.now());
      const row = [nodeId, now + aheadMs, isPaused, JSON.stringify(facts)];
      const known = await renewed(session, row, joined);
      const nodes = await session.query(SQL.nodes);
      const { oldestProgram } = await schemaInfo(session);
      return { now, known, nodes, oldestProgram };
    }, IMMEDIATE);
    this.#joined.add(nodeId);
    return { ...beat, ...nodesIn(beat.nodes, nodeId) };
  }

  async leave(nodeId: string): Promise<void> {
    await this.#connections.transaction(async (session) => {
      await session.query(SQL.recordLeaving, [nodeId]);
      await session.query(SQL.leave, [nodeId]);
    }, IMMEDIATE);
  }
}

/** A node that has joined and whose row is gone was declared dead: it must join under a new id. */
async function renewed(
  session: Session,
  row: readonly unknown[],
  joined: boolean,
): Promise<boolean> {
  if ((await session.change(SQL.renew, row)) === 1) return true;
  if (joined) return false;
  await session.query(SQL.join, row);
  return true;
}

const SQL = {
  renew:
    "UPDATE nodes SET beats = beats + 1, renewed_at = $2, is_paused = $3, facts = $4 WHERE node_id = $1",
  join: "INSERT INTO nodes (node_id, beats, renewed_at, is_paused, facts) VALUES ($1, 1, $2, $3, $4)",
  recordLeaving: `UPDATE service SET left_at = greatest(left_at, nodes.renewed_at)
    FROM nodes WHERE node_id = $1`,
  // messages_leased
  leave: `DELETE FROM nodes WHERE node_id = $1
    AND NOT EXISTS (SELECT FROM messages WHERE phase = 1 AND node_id = $1)`,
  // messages_leased, hopping from node to node. A lease whose node has no row must not be
  // forgotten: its node never beats, so the other nodes will find it dead.
  nodes: `WITH RECURSIVE holder (node_id) AS (
      (SELECT node_id FROM messages WHERE phase = 1 AND node_id IS NOT NULL
       ORDER BY node_id LIMIT 1)
      UNION ALL
      SELECT (SELECT node_id FROM messages WHERE phase = 1 AND node_id > holder.node_id
              ORDER BY node_id LIMIT 1)
      FROM holder WHERE node_id IS NOT NULL
    )
    SELECT node_id, beats, renewed_at, facts, (SELECT left_at FROM service) AS left_at FROM nodes
    UNION ALL
    SELECT node_id, 0, NULL, NULL, NULL FROM holder
    WHERE node_id IS NOT NULL AND node_id NOT IN (SELECT node_id FROM nodes)`,
} as const;
