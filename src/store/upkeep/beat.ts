import type { ClockTime } from "../../platform/clock.ts";
import type { NodeFacts } from "../node-facts.ts";
import { change, type Reading } from "../reads/reading.ts";
import type { Row } from "../records/rows.ts";
import { MOVED_PROGRAM, SCHEMA_INFO_SQL, toSchemaInfo } from "../schema.ts";
import type { Beat } from "../store.ts";

export interface BeatingNode {
  readonly nodeId: string;
  readonly isPaused: boolean;
  readonly facts: NodeFacts;
  /** It has beaten before. */
  readonly hasJoined: boolean;
}

/** Renews the row of a node; `nodesSql` reads the rows of all. */
export function* beat(
  nodesSql: string,
  { nodeId, isPaused, facts, hasJoined }: BeatingNode,
  { now, aheadMs }: ClockTime,
): Reading<Beat> {
  const dueAt = now + aheadMs;
  const row = [nodeId, dueAt, isPaused, JSON.stringify(facts)];
  const isRenewed = (yield* change(BEAT_SQL.renew, row)) === 1;
  // A node that has joined and whose row is gone was declared dead: it must join under a new id.
  const known = isRenewed || !hasJoined;
  if (!isRenewed && known) yield* change(BEAT_SQL.join, row);
  const [nodes, info] = yield [
    { text: nodesSql, values: [] },
    { text: SCHEMA_INFO_SQL, values: [] },
  ];
  const { oldestProgram } = toSchemaInfo(info![0]![0]);
  return { now, known, oldestProgram, ...nodesIn(nodes![0]!, nodeId) };
}

/** The nodes that have a row, and the latest due time of the other nodes, also of those that stopped. */
function nodesIn(rows: readonly Row[], nodeId: string): Pick<Beat, "nodes" | "latestAt"> {
  const others = rows.filter((row) => row["node_id"] !== nodeId);
  const latestAt = Math.max(
    0,
    ...others.map((row) => (row["renewed_at"] ?? 0) as number),
    ...rows.map((row) => (row["left_at"] ?? 0) as number),
  );
  const nodes = rows.map((row) => ({
    nodeId: row["node_id"] as string,
    beats: row["beats"] as number,
    name: row["facts"] === null ? "" : (JSON.parse(row["facts"] as string) as NodeFacts).name,
  }));
  return { nodes, latestAt: latestAt === 0 ? null : latestAt };
}

/**
 * Removes the row of a node that stops, unless it leaves leases for others to take over. In a store
 * whose data was moved, which waits for its nodes to leave, nothing else can be written.
 */
export function* leave(nodeId: string): Reading<void> {
  const [info] = yield [{ text: SCHEMA_INFO_SQL, values: [] }];
  const { oldestProgram } = toSchemaInfo(info![0]![0]);
  if (oldestProgram !== MOVED_PROGRAM) yield* change(BEAT_SQL.recordLeaving, [nodeId]);
  yield* change(BEAT_SQL.leave, [nodeId]);
}

export const BEAT_SQL = {
  renew: `UPDATE nodes SET beats = beats + 1, renewed_at = $2, is_paused = $3, facts = $4
    WHERE node_id = $1`,
  join: `INSERT INTO nodes (node_id, beats, renewed_at, is_paused, facts)
    VALUES ($1, 1, $2, $3, $4)`,
  recordLeaving: `UPDATE service SET left_at = nodes.renewed_at
    FROM nodes WHERE node_id = $1 AND renewed_at > left_at`,
  // messages_leased
  leave: `DELETE FROM nodes WHERE node_id = $1
    AND NOT EXISTS (SELECT 1 FROM messages WHERE phase = 1 AND node_id = $1)`,
} as const;
