import type { TypeOf } from "../json/schema.ts";
import type { NODES } from "./account-schemas.ts";

/** What the operator is shown of a node. */
export interface ShownNode {
  readonly nodeId: string;
  readonly name: string;
  readonly version: string;
  readonly startedAt: number;
  readonly slotsUsed: number;
  readonly slotsMax: number;
  readonly isPaused: boolean;
  readonly silentMs: number;
  readonly isLive: boolean;
}

export function nodeJson(node: ShownNode): TypeOf<typeof NODES>["nodes"][number] {
  const { nodeId, name, version, startedAt, slotsUsed, slotsMax, silentMs, isPaused, isLive } =
    node;
  const state = { paused: isPaused, live: isLive };
  return { nodeId, name, version, startedAt, slotsUsed, slotsMax, silentMs, ...state };
}
