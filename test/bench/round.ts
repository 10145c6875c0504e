import { besides, Child } from "./child.ts";
import { type Destination, type Spread, targetsOf } from "./destination.ts";
import { cpuUs, familyCpuUs, rssPeakMb, threadCpuUs, type ThreadTimes } from "./process-stats.ts";
import { benchTokens, type Subject } from "./subjects.ts";

export interface Measure {
  readonly messagesPerSecond: number;
  readonly cpuUsPerMessage: number;
  /** Processor time of its database server; 0 without one. */
  readonly serverUsPerMessage: number;
  /** The same by thread. */
  readonly threadUsPerMessage: ThreadTimes;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly rssMb: number;
  readonly refused: number;
}

export interface RoundPlan extends Spread {
  readonly connections: number;
  readonly bodyBytes: number;
  readonly durationMs: number;
  /** The round ends after so many messages, in place of a time. */
  readonly messages?: number;
  /** Messages go in turn onto so many queues, and under as many flow-control keys. */
  readonly lines?: number;
  /** What each message waits before it is sent, such as `1s`. */
  readonly delay?: string;
  /** So many accounts publish in turn; one when absent. */
  readonly accounts?: number;
}

const DRAIN_MS_MAX = 60_000;

/**
 * One round of load: from the first publish, when the publisher has made up its requests, until the
 * sink has everything that was acknowledged.
 */
export async function measure(
  subject: Subject,
  sink: Destination,
  plan: RoundPlan,
): Promise<Measure> {
  const before = await sink.count();
  const cpuBefore = cpuUs(subject.pid);
  const serverBefore = serverCpuUs(subject);
  const threadsBefore = threadCpuUs(subject.pid);
  const publisher = new Child(besides("publisher.ts"), [
    JSON.stringify({
      ...plan,
      batchCount: 1,
      port: subject.port,
      path: subject.path,
      tokens: benchTokens(plan.accounts ?? 1),
      targets: targetsOf(plan, sink.port),
    }),
  ]);
  const result = JSON.parse(await publisher.line()) as {
    acknowledged: number;
    startedAt: number;
    refused: number;
    p50Ms: number;
    p99Ms: number;
  };
  const elapsedMs = await drained(sink, before + result.acknowledged, result.startedAt);
  return {
    messagesPerSecond: result.acknowledged / (elapsedMs / 1000),
    cpuUsPerMessage: (cpuUs(subject.pid) - cpuBefore) / result.acknowledged,
    serverUsPerMessage: (serverCpuUs(subject) - serverBefore) / result.acknowledged,
    threadUsPerMessage: since(threadsBefore, threadCpuUs(subject.pid), result.acknowledged),
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    rssMb: rssPeakMb(subject.pid),
    refused: result.refused,
  };
}

function serverCpuUs({ serverPid }: Subject): number {
  return serverPid === undefined ? 0 : familyCpuUs(serverPid);
}

function since(before: ThreadTimes, after: ThreadTimes, messages: number): ThreadTimes {
  const perMessage = (name: keyof ThreadTimes): number => (after[name] - before[name]) / messages;
  return {
    main: perMessage("main"),
    writer: perMessage("writer"),
    reader: perMessage("reader"),
    others: perMessage("others"),
  };
}

async function drained(sink: Destination, wanted: number, startedAt: number): Promise<number> {
  for (;;) {
    const received = await sink.count();
    const elapsedMs = performance.timeOrigin + performance.now() - startedAt;
    if (received >= wanted) return elapsedMs;
    if (elapsedMs > DRAIN_MS_MAX) {
      throw new Error(`${wanted - received} acknowledged messages did not arrive`);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
