import type { Clock } from "../../platform/clock.ts";
import type { SeenNode } from "../../store/store.ts";

/** Monitoring that asks once a minute sees a lost node several times. */
const SHOWN_MS = 15 * 60_000;
const NODES_MAX = 100;

/** The nodes from which this one took over lately. */
export class LostNodes {
  readonly #clock: Clock;
  readonly #lostAt = new Map<SeenNode, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(nodes: readonly SeenNode[]): void {
    for (const node of nodes) this.#lostAt.set(node, this.#clock.monotonic());
    for (const node of [...this.#lostAt.keys()].slice(0, -NODES_MAX)) this.#lostAt.delete(node);
  }

  recent(): readonly SeenNode[] {
    const since = this.#clock.monotonic() - SHOWN_MS;
    for (const [node, lostAt] of this.#lostAt) if (lostAt < since) this.#lostAt.delete(node);
    return [...this.#lostAt.keys()];
  }
}
