import assert from "node:assert/strict";

import { call, nodesOn, type ServiceProcess } from "../service-process.ts";
import { RecordingSink } from "../sink.ts";
import { TickDatabase } from "./tick-database.ts";
import { faultsOf, MINUTE_MS, minutesOf, type SkippedRecord } from "./tick-judge.ts";

export interface TicksOptions {
  readonly nodes: number;
  /** Schedules that fire every minute, and those that fire whenever a round says so. */
  readonly minutely: number;
  readonly moved: number;
  readonly rounds: number;
}

export interface TicksReport {
  readonly nodes: number;
  readonly kills: number;
  readonly schedules: number;
  readonly rounds: number;
  readonly minutes: number;
  readonly messages: number;
  readonly skipped: number;
  readonly faults: readonly string[];
}

/**
 * Many schedules are due at one instant, again and again, and around each of these instants nodes
 * are killed, now and then all of them. Some schedules fire every minute, as their cron says; the
 * next instant of the others is set in the database, so that a round takes seconds.
 */
export async function killUnderTicks(
  databaseUrl: string,
  options: TicksOptions,
  programs?: readonly string[],
): Promise<TicksReport> {
  const nodes = await nodesOn(databaseUrl, options.nodes, programs);
  for (const node of nodes) await node.start();
  const sink = await RecordingSink.start();
  const database = await TickDatabase.open(databaseUrl);
  const seen = new SkippedTicks(database);
  try {
    await makeSchedules(nodes, sink.url, options);
    const rounds: number[] = [];
    let kills = 0;
    while (rounds.length < options.rounds) {
      const at = nextRoundAt(await database.now());
      await database.makeDue(MOVED, at);
      rounds.push(at);
      kills += await killAround(nodes, at - (await database.now()));
      await until(async () => (await database.dueCount(at)) === 0);
      await seen.look();
    }
    await until(async () => (await database.waitingCount()) === 0);
    await seen.look();
    return { ...(await judge(database, sink, seen, rounds)), nodes: nodes.length, kills };
  } finally {
    await database.close();
    for (const node of nodes) await node.kill("SIGTERM");
    await sink.stop();
  }
}

/** What must hold of every such run. */
export function requireTicked({ messages, schedules, rounds, faults, kills }: TicksReport): void {
  assert.deepEqual(faults.slice(0, 50), [], `${faults.length} faults`);
  assert.ok(kills > 0, "no node was killed");
  assert.ok(messages > schedules && rounds > 0, "next to nothing fired");
}

async function judge(
  database: TickDatabase,
  sink: RecordingSink,
  { records }: SkippedTicks,
  rounds: readonly number[],
): Promise<Omit<TicksReport, "nodes" | "kills">> {
  // What fires every minute goes on, so that all is read as of a moment at which nothing is under way.
  const stored = await database.read((scheduleId) => (scheduleId.endsWith(TO_GROUP) ? 2 : 1));
  await until(async () => {
    const ids = await database.delivered();
    return stored.messages.every(({ messageId }) => ids.has(messageId));
  });
  const seen = {
    ...stored,
    skipped: records,
    delivered: await database.delivered(),
    arrived: new Set(sink.receipts.map(({ messageId }) => messageId)),
  };
  const minutes = stored.schedules
    .filter(({ scheduleId }) => isMinutely(scheduleId))
    .map((schedule) => minutesOf(schedule).length);
  return {
    schedules: stored.schedules.length,
    rounds: rounds.length,
    minutes: Math.max(0, ...minutes),
    messages: stored.messages.length,
    skipped: records.length,
    faults: faultsOf(seen, (schedule) =>
      isMinutely(schedule.scheduleId) ? minutesOf(schedule) : [...rounds],
    ),
  };
}

const isMinutely = (scheduleId: string): boolean => scheduleId.startsWith(MINUTELY);

/** Skips on record, gathered as they come: a schedule shows only its last. */
class SkippedTicks {
  readonly records: SkippedRecord[] = [];
  readonly #database: TickDatabase;
  readonly #known = new Set<string>();

  constructor(database: TickDatabase) {
    this.#database = database;
  }

  async look(): Promise<void> {
    for (const record of await this.#database.skipped()) {
      const key = JSON.stringify(record);
      if (!this.#known.has(key)) this.records.push(record);
      this.#known.add(key);
    }
  }
}

/** In a moment, or with those that fire every minute when that is soon. */
function nextRoundAt(now: number): number {
  const minuteAt = Math.ceil(now / MINUTE_MS) * MINUTE_MS;
  const isSoon = minuteAt - now > 1_000 && minuteAt - now < 10_000;
  return isSoon ? minuteAt : now + 1_000 + pick(1_000);
}

/** Kills one, some or all nodes within a moment of an instant, and starts them again. */
async function killAround(nodes: readonly ServiceProcess[], inMs: number): Promise<number> {
  const count = Math.random() < 0.2 ? nodes.length : 1 + pick(nodes.length - 1);
  const first = pick(nodes.length);
  const victims = Array.from(
    { length: count },
    (_, index) => nodes[(first + index) % nodes.length]!,
  );
  await Promise.all(
    victims.map(async (victim) => {
      await pause(inMs - 200 + Math.random() * 900);
      await victim.kill("SIGKILL");
      await pause(Math.random() * 1_500);
      await victim.start();
    }),
  );
  return victims.length;
}

async function makeSchedules(
  nodes: readonly ServiceProcess[],
  sinkUrl: string,
  { minutely, moved }: TicksOptions,
): Promise<void> {
  const { url } = nodes[0]!;
  const endpoints = ["a", "b"].map((name) => ({ name, url: `${sinkUrl}/ok/${name}` }));
  await ask(url, "POST", "/v2/topics/pair/endpoints", {}, JSON.stringify({ endpoints }));
  const wanted = [
    ...Array.from({ length: minutely }, (_, n) => ({
      id: `${MINUTELY}${n}`,
      cron: "* * * * *",
      n,
    })),
    ...Array.from({ length: moved }, (_, n) => ({ id: `${MOVED}${n}`, cron: NEW_YEAR, n })),
  ];
  const make = async (): Promise<void> => {
    for (let next = wanted.shift(); next !== undefined; next = wanted.shift()) {
      const { id, cron, n } = next;
      const isGroup = n % 10 === 3;
      const headers: Record<string, string> = {
        "svc-cron": cron,
        "svc-schedule-id": isGroup ? id + TO_GROUP : id,
        "svc-retries": "10",
        "svc-retry-delay": "500",
        ...(n % 10 === 7 ? { "svc-queue-name": `queue-${n % 3}` } : {}),
      };
      const destination = isGroup ? "pair" : `${sinkUrl}/ok`;
      await ask(url, "POST", `/v2/schedules/${destination}`, headers, "tick");
    }
  };
  await Promise.all(Array.from({ length: 8 }, make));
}

async function ask(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string,
): Promise<void> {
  const answer = await call(url, method, path, headers, body);
  assert.equal(answer.status, 200, `${path} ${await answer.text()}`);
}

/** Waits until something has happened. If it does not, the judge will say what is missing. */
async function until(happened: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + WAIT_MS_MAX;
  while (!(await happened()) && performance.now() < giveUpAt) await pause(100);
}

function pick(limit: number): number {
  return Math.floor(Math.random() * limit);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, ms));
  });
}

const MINUTELY = "minutely-";
const MOVED = "moved-";
const TO_GROUP = "-to-group";
/** So far away that it fires only when a round says so. */
const NEW_YEAR = "0 0 1 1 *";
const WAIT_MS_MAX = 300_000;
