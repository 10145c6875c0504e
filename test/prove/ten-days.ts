/** A store that takes messages for days and keeps them for one. The clock is put forward. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { systemClock } from "../../src/platform/clock.ts";
import { LeapingClock } from "../../src/platform/leaping-clock.ts";
import { median } from "../bench/batches.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { withClient } from "../support/postgres-url.ts";
import { TestService } from "../support/service-harness.ts";
import { showDatabaseAhead } from "../support/stepped-clock.ts";
import { RecordingSink } from "./sink.ts";

const DAYS = 10;
const HOURS = 24;
const HOUR_MS = 3_600_000;
const BATCH = 100;
const BATCHES_AT_ONCE = 4;
/** Published one by one in each hour, timed and delivered. The others go in batches and are canceled. */
const TIMED = 500;
const TIMED_AT_ONCE = 8;
/** From this day on as much is removed as is added. */
const FLAT_FROM_DAY = 3;
const POLL_MS = 20;
const SWEEP_POLL_MS = 250;

export type DaysStore = "sqlite" | "postgres";

export interface Day {
  readonly megabytes: number;
  readonly publishP99Ms: number;
  /** Of publishes in turn with them, to a store that holds the timed messages alone. */
  readonly besideP99Ms: number;
}

/** Where the messages are, and how large it is. */
interface Place {
  readonly flags: Readonly<Record<string, string>>;
  /** Those of a second store, on the same disk or server. */
  readonly besideFlags: Readonly<Record<string, string>>;
  bytes(): Promise<number>;
  /** When its oldest row of the log was written. */
  oldestAt(): Promise<number | null>;
  close(): Promise<void>;
}

interface Life {
  readonly place: Place;
  readonly service: TestService;
  readonly beside: TestService;
  readonly sink: RecordingSink;
  readonly clock: LeapingClock;
  readonly agent: Agent;
}

export async function liveTenDays(store: DaysStore, messagesOfDay: number): Promise<Day[]> {
  const place = store === "sqlite" ? sqlitePlace() : await postgresPlace();
  const clock = new LeapingClock(systemClock);
  const service = await TestService.start({ clock, flags: place.flags });
  const beside = await TestService.start({ clock, flags: place.besideFlags });
  const sink = await RecordingSink.start();
  const agent = new Agent({ keepAlive: true });
  try {
    for (const each of [service, beside]) await each.limit({ logRetentionMs: HOURS * HOUR_MS });
    const days: Day[] = [];
    for (let day = 1; day <= DAYS; day++) {
      const life = { place, service, beside, sink, clock, agent };
      const took = await liveADay(life, messagesOfDay);
      const megabytes = (await place.bytes()) / 1e6;
      days.push({ megabytes, publishP99Ms: p99(took.own), besideP99Ms: p99(took.beside) });
      console.log(`  ${store}, day ${day}: ${shown(days.at(-1)!)}`);
    }
    return days;
  } finally {
    agent.destroy();
    await service.stop();
    await beside.stop();
    await sink.stop();
    await place.close();
  }
}

/** From the third day on neither the size nor the time of a publish grows. */
export function requireFlat(days: readonly Day[]): void {
  const flat = days.slice(FLAT_FROM_DAY - 1);
  const sizes = flat.map(({ megabytes }) => megabytes);
  const text = days.map(shown).join("; ");
  assert.ok(Math.max(...sizes) <= 1.1 * sizes[0]!, `the store grew: ${text}`);
  const times = flat.map(({ publishP99Ms, besideP99Ms }) => publishP99Ms / besideP99Ms);
  const [first, last] = [median(times.slice(0, 3)), median(times.slice(-3))];
  assert.ok(last <= 1.5 * first, `publishing became slower: ${text}`);
}

export function shown({ megabytes, publishP99Ms, besideP99Ms }: Day): string {
  return `${megabytes.toFixed(0)} MB, ${publishP99Ms.toFixed(1)} and ${besideP99Ms.toFixed(1)} ms`;
}

/** How long each timed publish took. */
interface Took {
  readonly own: number[];
  readonly beside: number[];
}

async function liveADay(life: Life, messages: number): Promise<Took> {
  const took: Took = { own: [], beside: [] };
  for (let hour = 0; hour < HOURS; hour++) {
    const ofHour = Math.round(messages / HOURS);
    await publishBatches(life, Math.max(0, ofHour - TIMED));
    await publishTimed(life, took);
    await untilEnded(life);
    passTime(life.clock, HOUR_MS);
    await untilSwept(life);
  }
  return took;
}

async function publishBatches({ service, sink, agent }: Life, messages: number): Promise<void> {
  const headers = { "Upstash-Delay": "1h" };
  const item = { destination: `${sink.url}/ok`, body: "b".repeat(256), headers };
  const batches = Math.ceil(messages / BATCH);
  await inParallel(batches, BATCHES_AT_ONCE, async (index) => {
    const items = Array.from({ length: Math.min(BATCH, messages - index * BATCH) }, () => item);
    const text = await send(service, agent, "POST", "/v2/batch", JSON.stringify(items));
    const stored = JSON.parse(text) as readonly { readonly messageId?: string }[];
    assert.ok(
      stored.every(({ messageId }) => messageId !== undefined),
      text.slice(0, 200),
    );
  });
  if (messages > 0) await cancelAll(service, agent);
}

async function cancelAll(service: TestService, agent: Agent): Promise<void> {
  for (;;) {
    const answer = JSON.parse(await send(service, agent, "DELETE", "/v2/messages")) as {
      readonly cancelled: number;
    };
    if (answer.cancelled === 0) return;
  }
}

async function publishTimed({ service, beside, sink, agent }: Life, took: Took): Promise<void> {
  const publish = async (to: TestService, times: number[]): Promise<void> => {
    const startedAt = performance.now();
    await send(to, agent, "POST", `/v2/publish/${sink.url}/ok`, "b".repeat(256));
    times.push(performance.now() - startedAt);
  };
  await inParallel(TIMED, TIMED_AT_ONCE, async () => {
    await publish(service, took.own);
    await publish(beside, took.beside);
  });
}

async function untilEnded({ service, sink, agent }: Life): Promise<void> {
  while (sink.receipts.length < 2 * TIMED) await wait(POLL_MS);
  sink.receipts.length = 0;
  for (;;) {
    const text = await send(service, agent, "GET", "/v2/messages?count=1");
    if ((JSON.parse(text) as { messages: unknown[] }).messages.length === 0) return;
    await wait(POLL_MS);
  }
}

/**
 * Until the rows themselves are gone, since the service shows none of them any more. A day takes
 * minutes here, so the janitor may be behind by one hour more. It is asked seldom: to find the
 * oldest row, PostgreSQL passes by all that were deleted before it.
 */
async function untilSwept({ place, clock }: Life): Promise<void> {
  const before = clock.now() - (HOURS + 2) * HOUR_MS;
  while (((await place.oldestAt()) ?? Infinity) < before) await wait(SWEEP_POLL_MS);
}

function passTime(clock: LeapingClock, ms: number): void {
  clock.leap(ms);
  showDatabaseAhead(clock.now() - Date.now());
}

function send(
  { url, token }: TestService,
  agent: Agent,
  method: string,
  path: string,
  body = "",
): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const { hostname, port } = new URL(url);
    const sent = request({ agent, hostname, port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode! < 300) resolve(text);
        else reject(new Error(`${method} ${path}: ${response.statusCode} ${text.slice(0, 200)}`));
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

async function inParallel(
  count: number,
  atOnce: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

function sqlitePlace(): Place {
  const [data, besideData] = [newFolder(), newFolder()];
  const sizes = (): number[] => readdirSync(data).map((name) => statSync(join(data, name)).size);
  const oldestAt = (): number | null => {
    const database = new DatabaseSync(join(data, "postrider.db"), { readOnly: true });
    try {
      const row = database.prepare("SELECT at FROM log_entries ORDER BY number LIMIT 1").get();
      return (row?.["at"] as number | undefined) ?? null;
    } finally {
      database.close();
    }
  };
  return {
    flags: { data },
    besideFlags: { data: besideData },
    bytes: () => Promise.resolve(sizes().reduce((sum, size) => sum + size, 0)),
    oldestAt: () => Promise.resolve(oldestAt()),
    close: () => Promise.resolve(removeFolders(data, besideData)),
  };
}

async function postgresPlace(): Promise<Place> {
  const server = await startPostgres({ durable: true });
  const [data, besideData] = [newFolder(), newFolder()];
  const ask = (sql: string): Promise<number | null> =>
    withClient(server.url, async (client) => {
      const { rows } = await client.query<{ n: number }>(sql);
      return rows[0]?.n ?? null;
    });
  return {
    flags: { data, databaseUrl: server.url },
    besideFlags: { data: besideData, databaseUrl: server.url, databaseSchema: "beside" },
    bytes: async () => (await ask(BYTES_SQL)) ?? 0,
    oldestAt: () =>
      ask("SELECT at::float8 AS n FROM postrider.log_entries ORDER BY account_id, number LIMIT 1"),
    close: async () => {
      removeFolders(data, besideData);
      await server.stop();
    },
  };
}

function p99(took: readonly number[]): number {
  return took.toSorted((one, other) => one - other)[Math.floor(took.length * 0.99)]!;
}

const BYTES_SQL = `SELECT sum(pg_total_relation_size(c.oid))::float8 AS n
  FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
  WHERE s.nspname = 'postrider' AND c.relkind = 'r'`;

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), "postrider-days-"));
}

function removeFolders(...folders: readonly string[]): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
