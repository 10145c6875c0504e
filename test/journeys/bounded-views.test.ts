/**
 * What a view of the dashboard reads depends on what it shows, not on what is stored.
 * BOUNDED_VIEWS=full stores as much as `npm run prove` does.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";

import { Client } from "pg";

import { systemClock } from "../../src/platform/clock.ts";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { readingMethods } from "../../src/store/sqlite/thread/reading-methods.ts";
import type { ThreadCall, ThreadCalls } from "../../src/store/sqlite/thread/thread-calls.ts";
import { SqliteWriter } from "../../src/store/sqlite/thread/writer.ts";
import { USAGE_MAX } from "../../src/store/reader/accounts.ts";
import type { Store } from "../../src/store/store.ts";
import {
  type CostOf,
  countedPostgres,
  countSqliteWork,
  postgresCostOf,
  sqliteCostOf,
} from "../support/counted-work.ts";
import { type Filling, fillStore } from "../support/full-store.ts";
import { postgresMissing } from "../support/postgres-url.ts";
import type { Item } from "../support/account-calls.ts";
import { TestService } from "../support/service-harness.ts";

const isFull = process.env["BOUNDED_VIEWS"] === "full";
/** The first is more than any list reads: then a search reads as much in both. */
const FILLINGS: readonly [Filling, Filling] = isFull
  ? [
      { messages: 250_000, runs: 40_000 },
      { messages: 1_000_000, runs: 100_000 },
    ]
  : [
      { messages: 2_000, runs: 400 },
      { messages: 5_000, runs: 1_000 },
    ];
/** The newest rows of small fillings are not of the same kinds. */
const TIMES_MAX = isFull ? 1.5 : 2;
/** Indexes become deeper, and a few rows of upkeep are read beside a view. */
const ROWS_MORE_MAX = 100;
/** The middle of several: the counter now and then misses some, and upkeep runs beside it. */
const ROUNDS = isFull ? 5 : 3;

/** Read a page, however little is stored. */
const PAGES = [
  "/v2/account",
  "/v2/account/tokens",
  "/v2/stats?step=minute",
  "/v2/stats?step=hour",
  "/v2/stats?step=day",
  "/v2/hosts",
  "/v2/overview",
  "/v2/hosts?count=100",
  "/v2/globalParallelism",
  "/v2/logs?count=300",
  "/v2/logs?count=300&state=CREATED",
  "/v2/logs?messageId={message}&count=1000",
  "/v2/messages?count=100",
  "/v2/messages/{message}",
  "/v2/messages/{message}/callbacks",
  "/v2/dlq?count=50",
  "/v2/workflows/dlq?count=50",
  "/v2/workflows/logs?count=50",
  "/v2/workflows/logs?count=50&state=RUN_FAILED",
  "/v2/workflows/events?groupBy=workflowRunId&count=1&workflowRunId={run}",
  "/v2/workflows/events?workflowRunId={run}&count=1000",
  "/v2/schedules",
  "/v2/topics",
] as const;

/** Read until a limit, which the small fillings do not reach. */
const SEARCHES = [
  "/v2/waiting",
  "/v2/queues",
  "/v2/flowControl",
  "/v2/dlq/groups",
  "/v2/dlq/hosts",
  "/v2/dlq/groups?source=workflow",
  "/v2/logs?count=300&state=DELIVERED",
  "/v2/logs?count=1&host=none.test&state=ERROR",
  "/v2/logs?count=200&scheduleId=none",
  "/v2/logs?count=300&label=none",
  "/v2/logs?count=300&order=earliestFirst&fromDate={now}",
  "/v2/messages?count=100&label=none",
  "/v2/messages?count=100&url=https://none.test/",
  "/v2/dlq?count=50&label=none",
  "/v2/dlq?count=50&responseStatus=404",
  "/v2/workflows/dlq?count=50&label=none",
  "/v2/workflows/logs?count=50&label=none",
  "/v2/workflows/logs?count=50&state=RUN_CANCELED",
  "/v2/workflows/logs?count=50&workflowUrl=https://none.test/",
  "/v2/workflows/events?count=50&label=none",
] as const;
/** Count what there is up to a limit that the first filling does not reach. */
const COUNTED: ReadonlyMap<string, number> = new Map([["/v2/account", USAGE_MAX]]);

const VIEWS = isFull ? [...PAGES, ...SEARCHES] : PAGES;

interface Subject {
  /** Fills the store while no service runs over it. */
  readonly store: (filling: Filling) => Promise<void>;
  readonly start: () => Promise<TestService>;
  readonly costOf: CostOf;
}

const SUBJECTS = [
  { name: "SQLite", skip: false as const, open: openSqlite },
  { name: "PostgreSQL", skip: postgresMissing(), open: openPostgres },
];

for (const { name, skip, open } of SUBJECTS) {
  test(title(name), { skip }, async (t) => {
    const subject = await open(t);
    const [some, many] = FILLINGS;
    await subject.store(some);
    const costsOfSome = await costsOf(subject);
    await subject.store({ messages: many.messages - some.messages, runs: many.runs - some.runs });
    const costsOfMany = await costsOf(subject);
    const unbounded = VIEWS.filter((view) => {
      const cost = costsOfSome.get(view)!;
      const countedMax = COUNTED.get(view) ?? 0;
      const atMost = Math.max(TIMES_MAX * cost, cost + ROWS_MORE_MAX, countedMax + ROWS_MORE_MAX);
      return costsOfMany.get(view)! > atMost;
    });
    for (const view of VIEWS) {
      t.diagnostic(`${view}: ${costsOfSome.get(view)}, then ${costsOfMany.get(view)}`);
    }
    assert.deepEqual(
      unbounded.map((view) => `${view}: ${costsOfSome.get(view)}, then ${costsOfMany.get(view)}`),
      [],
    );
  });
}

function title(name: string): string {
  const [some, many] = FILLINGS;
  return `${VIEWS.length} views read no more of ${textOf(many)} than of ${textOf(some)} (${name})`;
}

function textOf({ messages, runs }: Filling): string {
  return `${messages} messages and ${runs} runs`;
}

/** What each view costs on a service that sends nothing. */
async function costsOf({ start, costOf }: Subject): Promise<ReadonlyMap<string, number>> {
  const service = await start();
  const costs = new Map<string, number>();
  const shown = await shownIds(service);
  try {
    for (const view of VIEWS) {
      const path = view.replaceAll(/\{(\w+)\}/g, (_, name: string) => shown[name]!);
      const measured: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        measured.push(
          await costOf(async () => {
            const answer = await service.call("GET", path);
            assert.equal(answer.status, 200, `${path}: ${answer.text}`);
          }),
        );
      }
      costs.set(view, measured.toSorted((one, other) => one - other)[ROUNDS >> 1]!);
    }
  } finally {
    await service.stop();
  }
  return costs;
}

async function shownIds(service: TestService): Promise<Record<string, string>> {
  const { json } = await service.call("GET", "/v2/messages?count=1");
  const { json: logs } = await service.call("GET", "/v2/workflows/logs?count=1");
  const [message] = json["messages"] as Item[];
  const [run] = logs["runs"] as Item[];
  return {
    message: String(message!["messageId"]),
    run: String(run!["workflowRunId"]),
    now: String(systemClock.now()),
  };
}

async function openSqlite(context: TestContext): Promise<Subject> {
  countSqliteWork();
  const folder = mkdtempSync(join(tmpdir(), "postrider-views-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "postrider.db");
  return {
    store: async (filling) => {
      await fillAndClose(await SqliteStore.open({ path, clock: systemClock, onFatal }), filling);
    },
    start: () =>
      TestService.start({
        folder,
        flags: FLAGS,
        startThreads: () => Promise.resolve(inProcess(path)),
      }),
    costOf: sqliteCostOf,
  };
}

async function openPostgres(context: TestContext): Promise<Subject> {
  const { url } = await countedPostgres();
  const schema = "bounded_views";
  const { costOf, close } = await postgresCostOf(url);
  context.after(close);
  return {
    store: async (filling) => {
      await fillAndClose(await PostgresStore.open({ url, schema, clock: systemClock }), filling);
      const client = new Client({ connectionString: url });
      await client.connect();
      // The server whose pages are counted does not do it by itself.
      await client.query("VACUUM ANALYZE");
      await client.end();
    },
    start: () =>
      TestService.start({ flags: { ...FLAGS, databaseUrl: url, databaseSchema: schema } }),
    costOf,
  };
}

async function fillAndClose(store: Store, filling: Filling): Promise<void> {
  await fillStore(store, filling);
  await store.close();
}

/** Writer and readers in this thread, where their work is counted. */
function inProcess(path: string): ThreadCalls {
  const writing = new SqliteWriter(path);
  const methods = readingMethods(writing.database);
  const reading = calling({ ...methods, close: () => undefined });
  return { writing: calling(writing), reading, listing: reading };
}

function calling(target: object): ThreadCall {
  const methods = target as Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
  return (method, args) => new Promise((resolve) => resolve(methods[method]?.(...args)));
}

function onFatal(error: Error): never {
  throw error;
}

/** Nothing is sent, so that only the views are counted. */
const FLAGS = { paused: "true", secretKey: "ab".repeat(32) };
