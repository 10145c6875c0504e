import { importPeer } from "./packages.ts";
import { CONCURRENCY, deliver, serveFront } from "./relay.ts";

interface Job {
  readonly data: { readonly url: string; readonly body: string };
}

interface Bullmq {
  Queue: new (
    name: string,
    options: object,
  ) => { add(name: string, data: Job["data"], options: object): Promise<unknown> };
  Worker: new (
    name: string,
    work: (job: Job) => Promise<void>,
    options: object,
  ) => { waitUntilReady(): Promise<unknown> };
}

const { Queue, Worker } = (await importPeer("bullmq", "dist/cjs/index.js")) as Bullmq;
const connection = { host: "127.0.0.1", port: Number(process.argv[2]), maxRetriesPerRequest: null };
const queue = new Queue("messages", { connection });
const options = { removeOnComplete: true, attempts: 3 };
const worker = new Worker("messages", ({ data }) => deliver(data.url, data.body), {
  connection,
  concurrency: CONCURRENCY,
});
await worker.waitUntilReady();
serveFront((url, body) => queue.add("message", { url, body }, options));
