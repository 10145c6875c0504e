/** The primary of PostgreSQL dies again and again under load, and a replica takes its place. */
import assert from "node:assert/strict";

import { steadyPort } from "../../support/free-port.ts";
import { call, ServiceProcess } from "../service-process.ts";
import { RecordingSink } from "../sink.ts";
import { patiently, PatroniCluster } from "./patroni.ts";

export interface FailoverReport {
  readonly failovers: number;
  readonly acknowledged: number;
  readonly lost: number;
  /** For how long no publish was acknowledged, for each failover. */
  readonly stoodStillMs: readonly number[];
  /** Answers other than 200 and 503. */
  readonly unexpected: readonly string[];
}

export async function failOver(isSynchronous: boolean, failovers: number): Promise<FailoverReport> {
  const cluster = await PatroniCluster.start(isSynchronous);
  const sink = await RecordingSink.start();
  const args = ["--database-url", cluster.url, "--secret-key", "the-secret-key-of-the-proofs-0123"];
  const demand = isSynchronous ? ["--require-synchronous-standby"] : [];
  const nodes: ServiceProcess[] = [];
  try {
    await cluster.leader();
    for (let count = 0; count < 2; count++) {
      const node = new ServiceProcess(await steadyPort(), [...args, ...demand]);
      nodes.push(node);
      await node.start();
    }
    const load = new FailoverLoad(nodes, sink.url);
    const stoodStillMs: number[] = [];
    for (let count = 0; count < failovers; count++) {
      stoodStillMs.push(await once(cluster, load, count));
    }
    await cluster.leader();
    await load.stop();
    const lost = await lostOf(load, sink);
    const { unexpected, acknowledged } = load;
    return { failovers, acknowledged: acknowledged.size, lost, stoodStillMs, unexpected };
  } finally {
    for (const node of nodes) await node.kill("SIGTERM");
    await sink.stop();
    await cluster.stop();
  }
}

/** One failover; before every second one the replicas fall behind. Returns how long it took. */
async function once(cluster: PatroniCluster, load: FailoverLoad, count: number): Promise<number> {
  const leader = await cluster.leader();
  const before = load.acknowledged.size;
  await patiently(() => load.acknowledged.size > before + ENOUGH || null, "publishing works");
  load.longestGapMs = 0;
  await cluster.crash(leader, count % 2 === 0 ? 0 : STALL_MS);
  const after = load.acknowledged.size;
  await patiently(() => load.longestGapMs > DETECTED_MS || null, "the failover is seen");
  await patiently(() => load.acknowledged.size > after + ENOUGH || null, "publishing works again");
  cluster.restart(leader);
  return Math.round(load.longestGapMs);
}

/** Publishers that wait for an acknowledgement, whatever happens. Messages arrive after a while. */
class FailoverLoad {
  readonly acknowledged = new Set<string>();
  readonly unexpected: string[] = [];
  longestGapMs = 0;
  #lastAt = performance.now();
  #stopping = false;
  readonly #running: readonly Promise<void>[];

  constructor(nodes: readonly ServiceProcess[], sinkUrl: string) {
    this.#running = Array.from({ length: PUBLISHERS }, (_, index) =>
      this.#publish(nodes[index % nodes.length]!, sinkUrl),
    );
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#running);
  }

  async #publish({ url }: ServiceProcess, sinkUrl: string): Promise<void> {
    while (!this.#stopping) {
      const answer = await call(url, "POST", `/v2/publish/${sinkUrl}/ok`, DELAYED, "hello");
      const text = await answer.text();
      if (answer.status === 200) {
        const now = performance.now();
        this.longestGapMs = Math.max(this.longestGapMs, now - this.#lastAt);
        this.#lastAt = now;
        this.acknowledged.add((JSON.parse(text) as { messageId: string }).messageId);
      } else if (answer.status !== 503) this.unexpected.push(`${answer.status} ${text}`);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/** Waits until nothing more arrives. */
async function lostOf({ acknowledged }: FailoverLoad, sink: RecordingSink): Promise<number> {
  for (let before = -1; ; before = sink.receipts.length) {
    const arrived = new Set(sink.receipts.map(({ messageId }) => messageId));
    const lost = [...acknowledged].filter((messageId) => !arrived.has(messageId)).length;
    if (lost === 0 || before === sink.receipts.length) return lost;
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  }
}

/** What must hold with a synchronous standby; without one, messages may be lost. */
export function requireFailedOver(report: FailoverReport, isSynchronous: boolean): void {
  assert.deepEqual(report.unexpected, []);
  assert.ok(report.acknowledged > report.failovers * ENOUGH);
  if (isSynchronous) assert.equal(report.lost, 0, `${report.lost} acknowledged messages were lost`);
}

const PUBLISHERS = 4;
const PAUSE_MS = 40;
const ENOUGH = 20;
const STALL_MS = 500;
/** No pause of a working cluster is so long. */
const DETECTED_MS = 5_000;
const DELAYED = { "svc-delay": "45s" };
const QUIET_MS = 60_000;
