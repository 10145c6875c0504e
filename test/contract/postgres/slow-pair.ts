/** Two nodes on one database, of which one can be held up between any two of its statements. */
import { PostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { Scene } from "../scene.ts";
import { openCluster } from "./cluster.ts";
import { type CuttingProxy, startCuttingProxy } from "./cutting-proxy.ts";

export interface SlowPair {
  readonly proxy: CuttingProxy;
  readonly url: string;
  /** The node whose statements go through the proxy. */
  readonly slow: Scene;
  readonly quick: Scene;
  close(): Promise<void>;
}

export async function openSlowPair(): Promise<SlowPair> {
  const cluster = await openCluster(1);
  const [quick] = cluster.scenes as [Scene];
  const proxy = await startCuttingProxy(cluster.url);
  const store = await PostgresStore.open({ url: proxy.url, clock: cluster.clock, time: "given" });
  return {
    proxy,
    url: cluster.url,
    slow: new Scene(store, cluster.clock),
    quick,
    close: async () => {
      await store.close();
      await proxy.close();
      await cluster.close();
    },
  };
}
