import { startPostgres } from "../../support/postgres-server.ts";
import { besides, Child } from "../child.ts";
import type { Subject } from "../subjects.ts";
import { restateSdkUrl, SERVER_VERSION, startRestate } from "../workflows/restate-server.ts";
import { VERSIONS } from "./packages.ts";
import { startRedis } from "./redis-server.ts";

/** What people would use in our place: each accepts durably over HTTP, then posts to the sink. */
export const PEERS: Readonly<Record<string, () => Promise<Subject>>> = {
  "bullmq-everysec": () => startBullmq("everysec"),
  "bullmq-always": () => startBullmq("always"),
  "pg-boss": () => startOnPostgres("pg-boss"),
  "graphile-worker": () => startOnPostgres("graphile-worker"),
  restate: startRestateMessages,
};

async function startBullmq(fsync: "everysec" | "always"): Promise<Subject> {
  const redis = await startRedis(fsync);
  const front = new Child(besides("peers/bullmq.ts"), [String(redis.port)]);
  return {
    name: `BullMQ ${VERSIONS.bullmq}, ${fsync}`,
    port: Number(await front.line()),
    pid: front.pid,
    serverPid: redis.pid,
    stop: async () => {
      await front.stop();
      await redis.stop();
    },
  };
}

async function startOnPostgres(name: "pg-boss" | "graphile-worker"): Promise<Subject> {
  const server = await startPostgres({ durable: true });
  const front = new Child(besides(`peers/${name}.ts`), [server.url]);
  return {
    name: `${name} ${VERSIONS[name]}`,
    port: Number(await front.line()),
    pid: front.pid,
    serverPid: server.pid,
    stop: async () => {
      await front.stop();
      await server.stop();
    },
  };
}

/** Its ingress accepts the messages by itself; its server's time is that of the database server. */
async function startRestateMessages(): Promise<Subject> {
  const server = await startRestate();
  const endpoint = new Child(besides("peers/restate.ts"), [restateSdkUrl()], {
    // It would print a line for every message.
    RESTATE_LOGGING: "ERROR",
  });
  await server.register(Number(await endpoint.line()));
  return {
    name: `Restate ${SERVER_VERSION}`,
    port: server.ingressPort,
    path: "/messages/send/send",
    pid: endpoint.pid,
    serverPid: server.pid,
    stop: async () => {
      await endpoint.stop();
      await server.stop();
    },
  };
}
