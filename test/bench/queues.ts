import { parseArgs } from "node:util";

import { besides, Child } from "./child.ts";
import { startDestination, targetsOf } from "./destination.ts";
import { cpuUs, familyCpuUs } from "./process-stats.ts";
import {
  BENCH_TOKEN,
  ofCheckout,
  startPostgresNode,
  startSqlite,
  type Subject,
} from "./subjects.ts";

/**
 * `node scripts/bootstrap.mjs test/bench/queues.ts`: messages that go in turn into some queues of
 * parallelism 1, on one node, until the last one has arrived. With `--against` the service of
 * another checkout takes turns. Prints medians; 0 queues are plain messages.
 */
const { values } = parseArgs({
  options: {
    stores: { type: "string", default: "sqlite,postgres" },
    queues: { type: "string", default: "1,100" },
    messages: { type: "string", default: "1000" },
    rounds: { type: "string", default: "5" },
    connections: { type: "string", default: "64" },
    against: { type: "string" },
  },
});

const START = { sqlite: () => startSqlite(), postgres: () => startPostgresNode() };

interface Measured {
  readonly rate: number;
  readonly nodeUs: number;
  readonly serverUs: number;
}

const messages = Number(values.messages);
const destination = await startDestination();
for (const name of values.stores.split(",")) {
  const start = START[name as keyof typeof START];
  const subjects = [await start()];
  if (values.against !== undefined) subjects.push(await ofCheckout(values.against, start));
  for (const queues of values.queues.split(",").map(Number)) await compare(subjects, queues);
  for (const subject of subjects) await subject.stop();
}
await destination.stop();

async function compare(subjects: readonly Subject[], queues: number): Promise<void> {
  for (const subject of subjects) await round(subject, queues);
  const found = subjects.map((): Measured[] => []);
  for (let turn = 0; turn < Number(values.rounds); turn++) {
    for (const [index, subject] of subjects.entries()) {
      found[index]!.push(await round(subject, queues));
    }
  }
  for (const [index, { name }] of subjects.entries()) {
    const of = (field: keyof Measured): string =>
      median(found[index]!.map((each) => each[field])).toFixed(0);
    const times = `${of("nodeUs")} us in the node, ${of("serverUs")} in the server`;
    console.log(`${name}, ${queues} queues: ${of("rate")} messages a second, ${times}`);
  }
}

async function round(subject: Subject, queues: number): Promise<Measured> {
  const before = await destination.count();
  const [nodeUs, serverUs] = [cpuUs(subject.pid), serverCpuUs(subject)];
  const startedAt = performance.now();
  const publisher = new Child(besides("publisher.ts"), [
    JSON.stringify({
      port: subject.port,
      targets: targetsOf({}, destination.port),
      tokens: [BENCH_TOKEN],
      connections: Number(values.connections),
      bodyBytes: 256,
      durationMs: 0,
      batchCount: 1,
      messages,
      ...(queues === 0 ? {} : { queues }),
    }),
  ]);
  const { acknowledged } = JSON.parse(await publisher.line()) as { acknowledged: number };
  while ((await destination.count()) < before + acknowledged) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return {
    rate: (acknowledged * 1_000) / (performance.now() - startedAt),
    nodeUs: (cpuUs(subject.pid) - nodeUs) / acknowledged,
    serverUs: (serverCpuUs(subject) - serverUs) / acknowledged,
  };
}

function serverCpuUs({ serverPid }: Subject): number {
  return serverPid === undefined ? 0 : familyCpuUs(serverPid);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)]!;
}
