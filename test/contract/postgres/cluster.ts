/** Several stores on one database, as several nodes would have it. */
import { Client } from "pg";

import { PostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { START_AT } from "../../support/messages.ts";
import { freshDatabase } from "../../support/postgres-url.ts";
import { Scene } from "../scene.ts";

export interface Cluster {
  readonly url: string;
  readonly clock: ManualClock;
  /** One to a node, with a store of its own. */
  readonly scenes: readonly Scene[];
  close(): Promise<void>;
}

export async function openCluster(nodes: number): Promise<Cluster> {
  const database = await freshDatabase();
  const clock = new ManualClock(START_AT);
  const stores = await Promise.all(
    Array.from({ length: nodes }, () =>
      PostgresStore.open({ url: database.url, clock, time: "given" }),
    ),
  );
  return {
    url: database.url,
    clock,
    scenes: stores.map((store) => new Scene(store, clock)),
    async close() {
      await Promise.all(stores.map((store) => store.close()));
      await database.drop();
    },
  };
}

/** Far longer than it takes on a busy machine. */
const WAITING_MS_MAX = 30_000;

/** Until so many transactions wait for a lock that another one holds; fails when they never do. */
export async function transactionWaits(url: string, count = 1): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const endsAt = performance.now() + WAITING_MS_MAX;
    for (let waiting = 0; waiting < count;) {
      const { rowCount } = await client.query("SELECT 1 FROM pg_locks WHERE NOT granted");
      waiting = rowCount ?? 0;
      if (performance.now() > endsAt) throw new Error(`${waiting} transactions wait, not ${count}`);
    }
  } finally {
    await client.end();
  }
}

/** Counts how many looks at the server find a transaction that waits for a lock, until it is ended. */
export function countWaits(url: string): { end(): Promise<number> } {
  const over = new AbortController();
  const counting = (async () => {
    const client = new Client({ connectionString: url });
    await client.connect();
    let found = 0;
    do {
      const { rowCount } = await client.query("SELECT 1 FROM pg_locks WHERE NOT granted");
      if (rowCount !== 0) found += 1;
    } while (!over.signal.aborted);
    await client.end();
    return found;
  })();
  return {
    end() {
      over.abort();
      return counting;
    },
  };
}
