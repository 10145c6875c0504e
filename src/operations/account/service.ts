import { NODE_SILENT_MS_MAX, type NodeRecord, nodeLabel } from "../../store/node-facts.ts";
import type { Store } from "../../store/store.ts";
import type { Context } from "../context.ts";
import type { NODES } from "../../wire/account/node.ts";
import type { TypeOf } from "../../wire/json/schema.ts";

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

/** The nodes as the operator sees them, and what survives a failover of the database. */
export async function readCluster(store: Store): Promise<TypeOf<typeof NODES>> {
  const [nodes, durability] = await Promise.all([
    listNodes(store),
    store.reader.service.durability(),
  ]);
  return { nodes: nodes.map(shownNode), durability };
}

function shownNode(node: KnownNode): TypeOf<typeof NODES>["nodes"][number] {
  const { nodeId, name, version, startedAt, slotsUsed, slotsMax, silentMs, isPaused, isLive } =
    node;
  const state = { paused: isPaused, live: isLive };
  return { nodeId, name, version, startedAt, slotsUsed, slotsMax, silentMs, ...state };
}

export interface Pause {
  /** Live nodes that start no deliveries any more. */
  readonly paused: readonly string[];
  /** Live nodes that have not confirmed it, and may still start some. */
  readonly pending: readonly string[];
}

/** Stops deliveries on every node. Resolves when each live one confirmed, or after `WAIT_MS`. */
export async function pauseService({
  store,
  clock,
}: Pick<Context, "store" | "clock">): Promise<Pause> {
  await store.act({ rule: "pause-service", isPaused: true });
  const giveUpAt = clock.monotonic() + WAIT_MS;
  for (;;) {
    const pause = await readPause(store);
    if (pause.pending.length === 0 || clock.monotonic() >= giveUpAt) return pause;
    await clock.sleep(POLL_MS);
  }
}

export async function resumeService({ store }: Pick<Context, "store">): Promise<void> {
  await store.act({ rule: "pause-service", isPaused: false });
}

/** A node that is silent for as long as others wait before they take over counts as gone. */
async function readPause(store: Store): Promise<Pause> {
  const live = (await listNodes(store)).filter(({ isLive }) => isLive);
  const names = (isPaused: boolean): string[] =>
    live.filter((node) => node.isPaused === isPaused).map(nodeLabel);
  return { paused: names(true), pending: names(false) };
}

/** Longer than a killed node is taken for live. */
const WAIT_MS = 25_000;
const POLL_MS = 100;
