import { importPeer } from "./packages.ts";
import { CONCURRENCY, deliver, serveFront } from "./relay.ts";

interface Job {
  readonly data: { readonly url: string; readonly body: string };
}

interface Boss {
  start(): Promise<unknown>;
  on(event: "error", listener: (error: Error) => void): void;
  createQueue(name: string, options: object): Promise<void>;
  send(name: string, data: Job["data"]): Promise<unknown>;
  work(name: string, options: object, work: (jobs: Job[]) => Promise<unknown>): Promise<unknown>;
}

const { PgBoss } = (await importPeer("pg-boss", "dist/index.js")) as {
  PgBoss: new (options: object) => Boss;
};
const boss = new PgBoss({ connectionString: process.argv[2], max: 20, useListenNotify: true });
boss.on("error", (error) => console.error(error));
await boss.start();
await boss.createQueue("messages", { notify: true });
const batches = { localConcurrency: 4, batchSize: CONCURRENCY, burstWhenBatchFull: true };
await boss.work("messages", { ...batches, pollingIntervalSeconds: 0.5 }, (jobs) =>
  Promise.all(jobs.map(({ data }) => deliver(data.url, data.body))),
);
serveFront((url, body) => boss.send("messages", { url, body }));
