import { startPostgres } from "../../support/postgres-server.ts";
import { besides } from "../child.ts";
import { type Filling, fillPostgres } from "../fill.ts";
import { startNodeOn, type Subject } from "../subjects.ts";

/** So many nodes on a durable PostgreSQL of their own. */
export interface Cluster {
  readonly nodes: readonly Subject[];
  readonly serverPid: number;
  readonly databaseUrl: string;
  stop(): Promise<void>;
}

export async function startCluster(count: number, filling: Filling): Promise<Cluster> {
  const server = await startPostgres({
    durable: true,
    connectionsMax: CONNECTIONS_OF_A_NODE * count + SPARE_CONNECTIONS,
    settings: ["shared_preload_libraries=pg_stat_statements"],
  });
  await fillPostgres(server.url, filling);
  const nodes: Subject[] = [];
  for (let index = 0; index < count; index++) nodes.push(await startNodeOn(server.url, COUNTED));
  return {
    nodes,
    serverPid: server.pid,
    databaseUrl: server.url,
    stop: async () => {
      for (const node of nodes) await node.stop();
      await server.stop();
    },
  };
}

const COUNTED = ["--import", besides("nodes/counted-round-trips.ts")];
const CONNECTIONS_OF_A_NODE = 25;
const SPARE_CONNECTIONS = 20;
