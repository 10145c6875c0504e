import { NODE_SILENT_MS_MAX, type NodeRecord } from "../../store/node-facts.ts";
import type { Durability } from "../../store/reader/service.ts";
import type { Store } from "../../store/store.ts";

/** The nodes, and what survives a failover of the database. */
export interface Cluster {
  readonly nodes: readonly KnownNode[];
  readonly durability: Durability;
}

export interface KnownNode extends NodeRecord {
  /** How long ago it last renewed its row. */
  readonly silentMs: number;
  readonly isLive: boolean;
}

/** Every node that has a row, live or not. */
export async function listNodes(store: Store): Promise<readonly KnownNode[]> {
  const dueAt = store.clock.due();
  const nodes = await store.reader.service.nodes();
  return nodes.map((node) => {
    const silentMs = Math.max(0, dueAt - node.renewedAt);
    return { ...node, silentMs, isLive: silentMs < NODE_SILENT_MS_MAX };
  });
}

export async function readCluster(store: Store): Promise<Cluster> {
  const [nodes, durability] = await Promise.all([
    listNodes(store),
    store.reader.service.durability(),
  ]);
  return { nodes, durability };
}
