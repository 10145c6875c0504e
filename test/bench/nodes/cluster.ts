import { startPostgres } from "../../support/postgres-server.ts";
import { besides } from "../child.ts";
import { type Filling, fillPostgres } from "../fill.ts";
import { ofCheckout, startNodeOn, type Subject } from "../subjects.ts";

/** So many nodes on a durable PostgreSQL of their own. */
export interface Cluster {
  /** Its nodes are of the checkout that is measured against this one. */
  readonly isOther: boolean;
  readonly nodes: readonly Subject[];
  readonly serverPid: number;
  readonly databaseUrl: string;
  stop(): Promise<void>;
}

/**
 * With `against`, the nodes are those of another checkout. Nothing is filled in then, as it may
 * not know our tables: only loads without queues work.
 */
export async function startCluster(
  count: number,
  filling: Filling,
  against?: string,
): Promise<Cluster> {
  const server = await startPostgres({
    durable: true,
    connectionsMax: CONNECTIONS_OF_A_NODE * count + SPARE_CONNECTIONS,
    settings: ["shared_preload_libraries=pg_stat_statements"],
  });
  if (against === undefined) await fillPostgres(server.url, filling);
  const start = (): Promise<Subject> => startNodeOn(server.url, COUNTED);
  const nodes: Subject[] = [];
  for (let index = 0; index < count; index++) {
    nodes.push(await (against === undefined ? start() : ofCheckout(against, start)));
  }
  return {
    isOther: against !== undefined,
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
