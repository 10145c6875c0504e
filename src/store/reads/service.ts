import type { Durability } from "../reader/service.ts";
import type { NodeFacts } from "../node-facts.ts";
import { toServiceRecord } from "../records/rows.ts";
import { all, type Noun, rowsOf } from "./reading.ts";

/** The statements that are written for each driver. */
export interface ServiceSql {
  readonly durability: string;
}

const SHARED = {
  get: "SELECT record FROM service",
  nodes: "SELECT node_id, renewed_at, is_paused, facts FROM nodes ORDER BY node_id",
} as const;

export function serviceReads(own: ServiceSql): Noun<"service"> {
  const sql = { ...SHARED, ...own };
  return {
    sql,
    reads: {
      *get() {
        const [row] = yield* rowsOf(sql.get);
        return toServiceRecord(row);
      },
      nodes: () =>
        all(sql.nodes, [], (row) => ({
          nodeId: row["node_id"] as string,
          renewedAt: Number(row["renewed_at"]),
          isPaused: Boolean(row["is_paused"]),
          ...(JSON.parse(row["facts"] as string) as NodeFacts),
        })),
      *durability() {
        const [row] = yield* rowsOf(sql.durability);
        return row?.["durability"] as Durability;
      },
    },
  };
}
