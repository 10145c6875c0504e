import type { NodeRecord } from "../../reader.ts";
import type { Database } from "../thread/connection.ts";

/** The nodes that have a row. On SQLite there is one, and perhaps one that was killed. */
export function readNodes(database: Database): NodeRecord[] {
  const rows = database
    .prepare("SELECT node_id, renewed_at, is_paused FROM nodes ORDER BY node_id")
    .all();
  return rows.map((row) => ({
    nodeId: row["node_id"] as string,
    renewedAt: row["renewed_at"] as number,
    isPaused: row["is_paused"] === 1,
  }));
}
