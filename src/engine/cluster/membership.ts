import { NODE_SILENT_MS_MAX, type NodeFacts } from "../../store/node-facts.ts";
import { MOVED_PROGRAM, PROGRAM } from "../../store/schema.ts";
import type { SeenNode } from "../../store/store.ts";
import type { EngineOptions } from "../engine-options.ts";

/** A node that could not renew for this long starts nothing new. */
const START_NOTHING_MS = 10_000;
/** After this long it ends attempts that other nodes may take over. */
const ABORT_MS = 15_000;

interface Seen {
  readonly beats: number;
  /** When this number of beats was first seen, on this node's own clock. */
  readonly since: number;
}

/**
 * This node among the others. Every node renews a row; a node is dead when others have not seen it
 * renew while they themselves renewed without a gap, so that an outage of the store declares no
 * node dead.
 */
export class Membership {
  readonly #options: EngineOptions;
  readonly #isPaused: () => boolean;
  readonly #facts: () => NodeFacts;
  #nodeId: string;
  readonly #seen = new Map<string, Seen>();
  #renewedAt = -Infinity;
  #renewedWallAt = -Infinity;
  #gaplessSince: number;

  constructor(options: EngineOptions, isPaused: () => boolean, facts: () => NodeFacts) {
    this.#options = options;
    this.#isPaused = isPaused;
    this.#facts = facts;
    this.#nodeId = this.#drawId();
    this.#gaplessSince = options.machineClock.monotonic();
  }

  get nodeId(): string {
    return this.#nodeId;
  }

  /** A node alone cannot be taken over; with others, only a node that renews may start attempts. */
  mayStart(): boolean {
    return this.#options.alone || this.#silenceMs() < START_NOTHING_MS;
  }

  mustAbort(): boolean {
    return !this.#options.alone && this.#silenceMs() >= ABORT_MS;
  }

  /** Renews this node's row. Returns the nodes that have been silent for too long. */
  async beat(): Promise<{ dead: SeenNode[]; wasDeclaredDead: boolean }> {
    const { store, machineClock: clock, onFatal } = this.#options;
    const askedAt = clock.monotonic();
    const askedWallAt = clock.wall();
    const { nodes, known, oldestProgram } = await store.beat(
      this.#nodeId,
      this.#isPaused(),
      this.#facts(),
    );
    // The pause switch tells that the data was moved, and then this node ends by itself.
    if (oldestProgram > PROGRAM && oldestProgram !== MOVED_PROGRAM) {
      onFatal(new Error(`the store now needs program ${oldestProgram}; this is ${PROGRAM}`));
    }
    if (this.#silenceMs() > START_NOTHING_MS) this.#gaplessSince = askedAt;
    // Counted from before the query, since its answer may have taken long.
    this.#renewedAt = askedAt;
    this.#renewedWallAt = askedWallAt;
    if (!known) this.#nodeId = this.#drawId();
    return { dead: this.#silentNodes(nodes, askedAt), wasDeclaredDead: !known };
  }

  /** Removes this node's row, so that the others neither list it nor take over from it. */
  async leave(): Promise<void> {
    await this.#options.store.leave(this.#nodeId);
  }

  #silentNodes(nodes: readonly SeenNode[], now: number): SeenNode[] {
    const present = new Set(nodes.map(({ nodeId }) => nodeId));
    for (const nodeId of this.#seen.keys()) if (!present.has(nodeId)) this.#seen.delete(nodeId);
    return nodes.filter(({ nodeId, beats }) => {
      if (nodeId === this.#nodeId) return false;
      const seen = this.#seen.get(nodeId);
      if (seen?.beats !== beats) {
        this.#seen.set(nodeId, { beats, since: now });
        return false;
      }
      return now - Math.max(seen.since, this.#gaplessSince) >= NODE_SILENT_MS_MAX;
    });
  }

  /** The larger of the two clocks: a suspended machine stops the monotonic one. */
  #silenceMs(): number {
    const { machineClock: clock } = this.#options;
    return Math.max(clock.monotonic() - this.#renewedAt, clock.wall() - this.#renewedWallAt);
  }

  #drawId(): string {
    return this.#options.ids.sortable("node_", this.#options.clock.now());
  }
}
