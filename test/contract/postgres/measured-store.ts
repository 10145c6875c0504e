import { Client } from "pg";

import { PostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { startPostgres } from "../../support/postgres-server.ts";
import { Scene } from "../scene.ts";

/** A store on a server that tells what each statement reads, and counts nothing by itself. */
export interface MeasuredStore {
  readonly scene: Scene;
  readonly clock: ManualClock;
  /** Asks the server beside the store. */
  readonly client: Client;
  readonly url: string;
}

export async function withMeasuredStore(
  use: (measured: MeasuredStore) => Promise<void>,
): Promise<void> {
  const server = await startPostgres({
    settings: ["shared_preload_libraries=pg_stat_statements", "autovacuum=off"],
  });
  const clock = new ManualClock();
  const store = await PostgresStore.open({ url: server.url, clock, time: "given" });
  const client = new Client({ connectionString: server.url });
  try {
    await client.connect();
    await client.query("CREATE EXTENSION pg_stat_statements");
    await use({ scene: new Scene(store, clock), clock, client, url: server.url });
  } finally {
    await client.end();
    await store.close();
    await server.stop();
  }
}
