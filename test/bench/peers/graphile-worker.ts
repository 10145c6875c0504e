import { Pool } from "pg";

import { importPeer } from "./packages.ts";
import { CONCURRENCY, deliver, serveFront } from "./relay.ts";

interface Payload {
  readonly url: string;
  readonly body: string;
}

interface GraphileWorker {
  /** Its own log goes to standard output, which is for the port. */
  Logger: new (make: () => () => void) => object;
  run: (options: object) => Promise<{
    addJob(task: string, payload: Payload): Promise<unknown>;
  }>;
}

const { Logger, run } = (await importPeer("graphile-worker", "dist/index.js")) as GraphileWorker;
const pgPool = new Pool({ connectionString: process.argv[2], max: CONCURRENCY + 10 });
pgPool.on("error", (error) => console.error(error));
const batches = { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 };
const runner = await run({
  pgPool,
  taskList: { message: ({ url, body }: Payload) => deliver(url, body) },
  preset: { worker: { concurrentJobs: CONCURRENCY, ...batches } },
  concurrency: CONCURRENCY,
  logger: new Logger(() => () => undefined),
  noHandleSignals: true,
});
serveFront((url, body) => runner.addJob("message", { url, body }));
