/** A whole service in this process, on a real port and a real store, for one test file. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { readSettings } from "../../src/config/read-settings.ts";
import type { Mode } from "../../src/config/settings.ts";
import type { LimitOverrides } from "../../src/core/model/account/account.ts";
import { LIMITS } from "../../src/core/policy/limits/limit-table.ts";
import { type LimitField, shownLimit } from "../../src/core/policy/limits/limits.ts";
import type { Credentials } from "../../src/operations/account/public-credentials.ts";
import type { Clock } from "../../src/platform/clock.ts";
import type { Log } from "../../src/platform/log.ts";
import { type Service, startService } from "../../src/service.ts";
import type { StartThreads } from "../../src/store/sqlite/thread/thread-calls.ts";
import { AccountCalls, type Item } from "./account-calls.ts";
import { callConsole, type ConsoleOptions } from "./console-call.ts";
import type { CallAnswer } from "./http-call.ts";
import { startKeptThreads } from "./kept-threads.ts";
import { migratedDatabase, withClient } from "./postgres-url.ts";
import { makePasswordsQuick } from "./quick-passwords.ts";
import type { Scope } from "./scope.ts";

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

/** Of the first account of `dev`. */
export const DEV_TOKEN = btoa('{"UserID":"defaultUser","Password":"defaultPassword"}');
/** Of an account of `dev` that is not the first. */
export const OTHER_TOKEN = "eyJVc2VySUQiOiJ0ZXN0VXNlcjEiLCJQYXNzd29yZCI6InRlc3RQYXNzd29yZCJ9";

/** Calls are those of the first account. */
export class TestService extends AccountCalls {
  readonly service: Service;
  readonly credentials: Credentials;
  /** What the service told those who run it: every event and its fields, as text. */
  readonly logged: string[];
  readonly #store: TestStore;
  #ended: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;

  private constructor(service: Service, logged: string[], testStore: TestStore) {
    const credentials = service.credentials ?? NO_CREDENTIALS;
    super(service.url, credentials.token);
    this.service = service;
    this.credentials = credentials;
    this.logged = logged;
    this.#store = testStore;
  }

  static async start(options: HarnessOptions = {}): Promise<TestService> {
    makePasswordsQuick();
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

  /** A service that is stopped when the test is over. */
  static async startFor(scope: Scope, options: HarnessOptions = {}): Promise<TestService> {
    const service = await TestService.start(options);
    scope.after(() => service.stop());
    return service;
  }

  /** A call to the console, as the operator unless told otherwise. */
  console(method: string, path: string, options?: ConsoleOptions): Promise<CallAnswer> {
    return callConsole(this.url, method, path, options);
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
    const answer = await this.console("PATCH", path, { send: Object.fromEntries(send) });
    if (answer.status !== 200) throw new Error(`limits: ${answer.status} ${answer.text}`);
  }

  /** Sets when a schedule is due, as if that time had come, or had passed while no node ran. */
  fireAt(scheduleId: string, at: number): Promise<void> {
    return this.#store.fireAt(scheduleId, at);
  }

  /** Stops the service, and leaves its store to be looked at. */
  end(graceMs: number): Promise<void> {
    this.#ended ??= this.service.stop(graceMs);
    return this.#ended;
  }

  /** What is stopped stays so: the end of a test may ask again. */
  stop(): Promise<void> {
    this.#stopped ??= this.end(2_000).then(() => this.#store.close());
    return this.#stopped;
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

async function fireInPostgres(url: string, where: [scheduleId: string, at: number]): Promise<void> {
  const update = "UPDATE schedules SET next_at = $2 WHERE schedule_id = $1";
  await withClient(url, (client) => client.query(update, where));
}

async function selectInPostgres(url: string, sql: string): Promise<Item[]> {
  return (await withClient(url, (client) => client.query<Item>(sql))).rows;
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
