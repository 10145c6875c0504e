import { listNodes } from "./nodes.ts";
import type { Clock } from "../../platform/clock.ts";
import { nodeLabel } from "../../store/node-facts.ts";
import type { Store } from "../../store/store.ts";

/** The state of a pause. */
export interface Pause {
  /** Live nodes that start no deliveries any more. */
  readonly paused: readonly string[];
  /** Live nodes that have not confirmed it, and may still start some. */
  readonly pending: readonly string[];
}

interface PauseOptions {
  readonly store: Store;
  readonly clock: Clock;
}

/**
 * Stops deliveries on every node. Resolves when each live node has confirmed, or after `WAIT_MS`.
 */
export async function pauseService({ store, clock }: PauseOptions): Promise<Pause> {
  await store.act({ rule: "pause-service", isPaused: true });
  const giveUpAt = clock.monotonic() + WAIT_MS;
  for (;;) {
    const pause = await readPause({ store });
    if (pause.pending.length === 0 || clock.monotonic() >= giveUpAt) return pause;
    await clock.sleep(POLL_MS);
  }
}

export async function resumeService({ store }: Pick<PauseOptions, "store">): Promise<void> {
  await store.act({ rule: "pause-service", isPaused: false });
}

/** A node that is silent for as long as others wait before they take over counts as gone. */
async function readPause({ store }: Pick<PauseOptions, "store">): Promise<Pause> {
  const live = (await listNodes(store)).filter(({ isLive }) => isLive);
  const names = (isPaused: boolean): string[] =>
    live.filter((node) => node.isPaused === isPaused).map(nodeLabel);
  return { paused: names(true), pending: names(false) };
}

/** Longer than a killed node is taken for live. */
const WAIT_MS = 25_000;
const POLL_MS = 100;
