/** A whole service in this process, on a real port and a real store, for one test file. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { Client } from "pg";
import { readSettings } from "../../src/config/read-settings.ts";
import type { Mode } from "../../src/config/settings.ts";
import type { LimitOverrides } from "../../src/core/model/account/account.ts";
import { LIMITS } from "../../src/core/policy/limits/limit-table.ts";
import { type LimitField, shownLimit } from "../../src/core/policy/limits/limits.ts";
import type { Credentials } from "../../src/operations/account/first-accounts.ts";
import type { Clock } from "../../src/platform/clock.ts";
import type { Log } from "../../src/platform/log.ts";
import { type Service, startService } from "../../src/service.ts";
import type { StartThreads } from "../../src/store/sqlite/thread/thread-calls.ts";
import { callConsole } from "./console-call.ts";
import { requireDocumented } from "./documented-answers.ts";
import { call, type CallAnswer, type CallOptions } from "./http-call.ts";
import { startKeptThreads } from "./kept-threads.ts";
import { migratedDatabase } from "./postgres-url.ts";

export type StoreKind = "sqlite" | "postgres";

export interface HarnessOptions {
  readonly store?: StoreKind;
  readonly mode?: Mode;
  readonly flags?: Readonly<Record<string, string>>;
  /** Kept when the service stops, so that another can be started over it. */
  readonly folder?: string;
  /** The clock of its machine. */
  readonly clock?: Clock;
  readonly startThreads?: StartThreads;
}

/** Of an account of `dev` that is not the first. */
export const OTHER_TOKEN = "eyJVc2VySUQiOiJ0ZXN0VXNlcjEiLCJQYXNzd29yZCI6InRlc3RQYXNzd29yZCJ9";

/** What a list of the API holds, as far as tests look at it. */
export type Item = Readonly<Record<string, unknown>>;

export class TestService {
  readonly service: Service;
  readonly credentials: Credentials;
  /** What the service told those who run it: every event and its fields, as text. */
  readonly logged: string[];
  readonly #store: TestStore;

  private constructor(service: Service, logged: string[], testStore: TestStore) {
    this.service = service;
    this.credentials = service.credentials ?? NO_CREDENTIALS;
    this.logged = logged;
    this.#store = testStore;
  }

  static async start(options: HarnessOptions = {}): Promise<TestService> {
    const testStore = await openTestStore(options);
    const logged: string[] = [];
    const flags = {
      port: "0",
      host: "127.0.0.1",
      minFreeDisk: "0",
      ...testStore.flags,
      ...options.flags,
    };
    const settings = readSettings(options.mode ?? "dev", {
      flags,
      environment: {},
      configFile: undefined,
    });
    const service = await startService(settings, {
      log: recordingLog(logged),
      clock: options.clock,
      startThreads: options.startThreads ?? startKeptThreads,
      onAttempt: (report) => logged.push(`attempt ${report.status} ${report.error ?? ""}`),
      onFatal: (error) => {
        throw error;
      },
    });
    return new TestService(service, logged, testStore);
  }

  get url(): string {
    return this.service.url;
  }

  get token(): string {
    return this.credentials.token;
  }

  /** A call with the token of the first account, unless told otherwise. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<CallAnswer> {
    const answer = await call(this.url, method, path, { token: this.token, ...options });
    requireDocumented(method, path, answer);
    return answer;
  }

  /** Publishes and answers the id; anything but an acceptance fails the test. */
  async publish(
    destination: string,
    headers: Readonly<Record<string, string | string[]>> = {},
    body: string | Uint8Array = "",
  ): Promise<string> {
    const answer = await this.call("POST", `/v2/publish/${destination}`, { headers, body });
    if (answer.status !== 200) throw new Error(`publish: ${answer.status} ${answer.text}`);
    return answer.json["messageId"] as string;
  }

  /** The log of one message, oldest entry first. */
  async log(messageId: string): Promise<Item[]> {
    const answer = await this.call("GET", `/v2/logs?messageId=${messageId}`);
    return (answer.json["logs"] as Item[]).toReversed();
  }

  /** The log of one message, once it has an entry of that state. */
  async logUntil(messageId: string, state: string): Promise<Item[]> {
    return eventually(async () => {
      const entries = await this.log(messageId);
      return entries.some((entry) => entry["state"] === state) ? entries : null;
    }, `${messageId} ${state}`);
  }

  /** The states of a message in their order, once it has come to the last one given. */
  async statesUntil(messageId: string, state: string): Promise<unknown[]> {
    return (await this.logUntil(messageId, state)).map((entry) => entry["state"]);
  }

  /** How many rows the store holds, over all tables that a message can reach. */
  async rowCount(): Promise<number> {
    const [row] = await this.select(COUNT_SQL);
    return Number(row?.["n"]);
  }

  /** Asks the database itself, past the service. */
  select(sql: string): Promise<Item[]> {
    return this.#store.select(sql);
  }

  /** Gives the first account of `dev` limits of its own. */
  async limit(overrides: LimitOverrides): Promise<void> {
    const send = Object.entries(overrides).map(([name, value]) => {
      const field = name as LimitField;
      return [LIMITS[field].name, shownLimit(field, value)];
    });
    const path = "/v2/svc/update-limits/defaultUser";
    const answer = await callConsole(this.url, "PATCH", path, { send: Object.fromEntries(send) });
    if (answer.status !== 200) throw new Error(`limits: ${answer.status} ${answer.text}`);
  }

  /** Sets when a schedule is due, as if that time had come, or had passed while no node ran. */
  fireAt(scheduleId: string, at: number): Promise<void> {
    return this.#store.fireAt(scheduleId, at);
  }

  async stop(): Promise<void> {
    await this.service.stop(2_000);
    await this.#store.close();
  }
}

/** Asks again and again, after longer and longer pauses, until there is an answer. */
export async function eventually<Value>(
  ask: () => Promise<Value | null>,
  what: string,
): Promise<Value> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (let pauseMs = PAUSE_MIN_MS; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS)) {
    const value = await ask();
    if (value !== null) return value;
    if (performance.now() > giveUpAt) throw new Error(`did not come to be: ${what}`);
    await wait(pauseMs);
  }
}

interface TestStore {
  readonly flags: Readonly<Record<string, string>>;
  fireAt(scheduleId: string, at: number): Promise<void>;
  select(sql: string): Promise<Item[]>;
  close(): Promise<void>;
}

async function openTestStore({ store = "sqlite", folder }: HarnessOptions): Promise<TestStore> {
  const data = folder ?? mkdtempSync(join(tmpdir(), "postrider-test-"));
  const removeData = (): void => {
    if (folder === undefined) rmSync(data, { recursive: true, force: true });
  };
  if (store === "sqlite") {
    return {
      flags: { data },
      fireAt: (...where) => fireInSqlite(join(data, "postrider.db"), where),
      select: (sql) => Promise.resolve(selectInSqlite(join(data, "postrider.db"), sql)),
      close: () => Promise.resolve(removeData()),
    };
  }
  const database = await migratedDatabase();
  return {
    flags: { data, databaseUrl: database.url },
    fireAt: (...where) => fireInPostgres(database.url, where),
    select: (sql) => selectInPostgres(database.url, sql),
    close: async () => {
      removeData();
      await database.drop();
    },
  };
}

const TABLES = [
  "facts",
  "messages",
  "log_entries",
  "dead_letters",
  "deduplications",
  "schedules",
  "runs",
  "run_entries",
  "run_events",
  "waiters",
];
const COUNTS = TABLES.map((table) => `(SELECT count(*) FROM ${table})`).join(" + ");
const COUNT_SQL = `SELECT ${COUNTS} AS n`;

function selectInSqlite(path: string, sql: string): Item[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare(sql).all();
  database.close();
  return rows;
}

function fireInSqlite(path: string, where: [scheduleId: string, at: number]): Promise<void> {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA busy_timeout = 5000");
  database.prepare("UPDATE schedules SET next_at = ?2 WHERE schedule_id = ?1").run(...where);
  database.close();
  return Promise.resolve();
}

async function fireInPostgres(
  connectionString: string,
  where: [scheduleId: string, at: number],
): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  await client.query("UPDATE schedules SET next_at = $2 WHERE schedule_id = $1", where);
  await client.end();
}

async function selectInPostgres(connectionString: string, sql: string): Promise<Item[]> {
  const client = new Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<Item>(sql);
  await client.end();
  return rows;
}

function recordingLog(logged: string[]): Log {
  const record = (event: string, fields: object = {}): void => {
    const shown = Object.values(fields).map((value) =>
      value instanceof Error ? (value.stack ?? "") : JSON.stringify(value),
    );
    logged.push([event, ...shown].join(" "));
  };
  return { info: record, warn: record, error: record };
}

const NO_CREDENTIALS: Credentials = {
  token: "",
  readOnlyToken: "",
  currentSigningKey: "",
  nextSigningKey: "",
};
const PATIENCE_MS = 40_000;
/** To ask takes processor time that the service may need to come to an answer. */
const PAUSE_MIN_MS = 5;
const PAUSE_MAX_MS = 80;
