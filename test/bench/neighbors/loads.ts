import { besides, Child } from "../child.ts";
import { startDestination } from "../destination.ts";
import type { Subject } from "../subjects.ts";

/** What one account does while another one is measured. */
export interface Load {
  readonly name: string;
  /** Resolves once the load is on. */
  start(subject: Subject, token: string, durationMs: number): Promise<Running>;
}

export interface Running {
  stop(): Promise<void>;
}

const ANSWER_BYTES = 4 * 1024 * 1024;
const DEAD_HOSTS = 10_000;
const MESSAGES_PER_HOST = 10;
const BATCH_COUNT = 100;
const LISTED = 20_000;
/** From its first request until a load is on. */
const RISE_MS = 1_000;
const POLL_MS = 100;

export const LOADS: readonly Load[] = [
  {
    name: "batches of 100",
    start: (subject, token, durationMs) =>
      flood(subject, token, { durationMs, batchCount: BATCH_COUNT, connections: 16 }),
  },
  {
    name: "publishes",
    start: (subject, token, durationMs) =>
      flood(subject, token, { durationMs, batchCount: 1, connections: 64 }),
  },
  {
    name: "answers of 4 MB with callbacks",
    start: (subject, token, durationMs) => receiveAnswers(subject, token, durationMs),
  },
  {
    name: "10,000 dead hosts",
    start: (subject, token) => sendToDead(subject, token),
  },
  {
    name: "lists of 1,000",
    start: (subject, token) => list(subject, token),
  },
  {
    name: "20 streams",
    start: (subject, token, durationMs) => watch(subject, token, durationMs),
  },
  {
    name: "bulk cancels",
    start: (subject, token, durationMs) => cancelAll(subject, token, durationMs),
  },
];

interface Flood {
  readonly durationMs?: number;
  readonly messages?: number;
  readonly batchCount: number;
  readonly connections: number;
  readonly targets?: readonly string[];
  readonly spread?: { readonly hosts: number; readonly port: number };
  readonly headers?: readonly string[];
  readonly delay?: string;
}

async function flood(subject: Subject, token: string, plan: Flood): Promise<Running> {
  const sink = await startDestination(0, HELD);
  const publisher = publish(subject, token, { ...plan, targets: [hookOf(sink.port)] });
  await wait(RISE_MS);
  return stopping(publisher, sink);
}

async function receiveAnswers(
  subject: Subject,
  token: string,
  durationMs: number,
): Promise<Running> {
  const [large, sink] = await Promise.all([
    startDestination(ANSWER_BYTES, HELD),
    startDestination(0, HELD),
  ]);
  const publisher = publish(subject, token, {
    durationMs,
    batchCount: 1,
    connections: 4,
    targets: [hookOf(large.port)],
    headers: [`Svc-Callback: ${hookOf(sink.port)}`],
  });
  await wait(RISE_MS);
  return stopping(publisher, large, sink);
}

/** They refuse connections: port 1 of as many addresses of this machine. */
async function sendToDead(subject: Subject, token: string): Promise<Running> {
  const publisher = publish(subject, token, {
    messages: DEAD_HOSTS * MESSAGES_PER_HOST,
    batchCount: BATCH_COUNT,
    connections: 4,
    spread: { hosts: DEAD_HOSTS, port: 1 },
    headers: ["Svc-Retry-Delay: 5000"],
  });
  await publisher.line();
  return stopping(publisher);
}

/** Of an account with a long log. */
async function list(subject: Subject, token: string): Promise<Running> {
  const sink = await startDestination(0, HELD);
  const filling = publish(subject, token, {
    messages: LISTED,
    batchCount: BATCH_COUNT,
    connections: 4,
    targets: [hookOf(sink.port)],
  });
  await filling.line();
  await untilDelivered(subject, token);
  const caller = call(subject, token, { path: "/v2/logs?count=1000", connections: 8 });
  await wait(RISE_MS);
  return stopping(filling, caller, sink);
}

/** What fills the log must not count for what reads it. */
async function untilDelivered({ port }: Subject, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/v2/messages?count=1`, { headers });
    const { messages } = (await answer.json()) as { readonly messages: readonly unknown[] };
    if (messages.length === 0) return;
    await wait(POLL_MS);
  }
}

/** They are all there are for an account, and it publishes what they show. */
async function watch(subject: Subject, token: string, durationMs: number): Promise<Running> {
  const caller = call(subject, token, { path: "/v2/stream", connections: 20 });
  const flooding = await flood(subject, token, { durationMs, batchCount: 1, connections: 4 });
  return stopping(caller, flooding);
}

/** Messages that wait for an hour are added as quickly as they are canceled. */
async function cancelAll(subject: Subject, token: string, durationMs: number): Promise<Running> {
  const publisher = publish(subject, token, {
    durationMs,
    batchCount: BATCH_COUNT,
    connections: 2,
    targets: [hookOf(1)],
    delay: "1h",
  });
  const caller = call(subject, token, { method: "DELETE", path: "/v2/messages", connections: 1 });
  await wait(RISE_MS);
  return stopping(publisher, caller);
}

interface Calls {
  readonly method?: string;
  readonly path: string;
  readonly connections: number;
}

function call({ port }: Subject, token: string, { method = "GET", ...calls }: Calls): Child {
  const plan = { port, token, method, ...calls };
  return new Child(besides("neighbors/caller.ts"), [JSON.stringify(plan)], {}, HELD);
}

function publish(subject: Subject, token: string, plan: Flood): Child {
  const all = { durationMs: 0, ...plan, port: subject.port, tokens: [token], bodyBytes: 256 };
  return new Child(besides("publisher.ts"), [JSON.stringify(all)], {}, HELD);
}

function stopping(...parts: readonly { stop(): Promise<void> }[]): Running {
  return { stop: async () => void (await Promise.all(parts.map((part) => part.stop()))) };
}

function hookOf(port: number): string {
  return `http://127.0.0.1:${port}/hook`;
}

function wait(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}

/** The load must not take the processor from what is measured. */
const HELD = { isHeld: true };
