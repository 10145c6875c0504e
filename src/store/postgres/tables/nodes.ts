import type { NodeRecord } from "../../reader.ts";
import type { Session } from "../driver/conversation.ts";

export async function readNodes(session: Session): Promise<NodeRecord[]> {
  const rows = await session.query(
    "SELECT node_id, renewed_at, is_paused FROM nodes ORDER BY node_id",
  );
  return rows.map((row) => ({
    nodeId: row["node_id"] as string,
    renewedAt: Number(row["renewed_at"]),
    isPaused: row["is_paused"] === true,
  }));
}
