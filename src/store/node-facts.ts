import type { Instant } from "../core/model/time.ts";

/** How many messages a node handles, and how many it can. */
export interface NodeLoad {
  readonly slotsUsed: number;
  readonly slotsMax: number;
}

/** What a node tells of itself with each beat. */
export interface NodeFacts extends NodeLoad {
  /** For people: its host's name, or what `--node-name` says. Two nodes may have the same. */
  readonly name: string;
  readonly version: string;
  readonly startedAt: Instant;
  /** The ids of the secret keys that it opens with. */
  readonly keyIds: readonly string[];
}

/** Every node has a row until it stops; one that was killed keeps it until another takes over. */
export interface NodeRecord extends NodeFacts {
  readonly nodeId: string;
  /** In due time. */
  readonly renewedAt: Instant;
  /** It starts no delivery. */
  readonly isPaused: boolean;
}

/** How a node is named in sentences. Nodes on one host may share a name, so the id stands with it. */
export function nodeLabel({ name, nodeId }: Pick<NodeRecord, "name" | "nodeId">): string {
  return name === "" ? nodeId : `${name} (${nodeId})`;
}

/** A node that is silent for longer is dead: the others take its leases. */
export const NODE_SILENT_MS_MAX = 20_000;

export const NO_FACTS: NodeFacts = {
  name: "",
  version: "",
  startedAt: 0,
  keyIds: [],
  slotsUsed: 0,
  slotsMax: 0,
};
