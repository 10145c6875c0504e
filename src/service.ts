import { join, resolve } from "node:path";
import { BurstLimit } from "./api/burst-limit.ts";
import { callerIpReader } from "./api/caller-ip.ts";
import { gateLimits, MemoryGate } from "./api/memory-gate.ts";
import { ApiServer } from "./api/server.ts";
import { UploadWatch } from "./api/upload-watch.ts";
import { readAuthorities } from "./config/authority-file.ts";
import { SettingError } from "./config/read-settings.ts";
import { keepSecretKey } from "./config/secret-key-file.ts";
import type { Settings } from "./config/settings.ts";
import type { EgressPolicy } from "./core/rules/egress.ts";
import { destinationReader } from "./core/rules/read-destination.ts";
import { HttpCourier } from "./delivery/http-courier.ts";
import type {
  AttemptReport,
  EngineLimits,
  EngineOptions,
  Recovery,
} from "./engine/engine-options.ts";
import { Engine } from "./engine/engine.ts";
import { Accounts, type AccountsOptions } from "./operations/accounts.ts";
import type { Context } from "./operations/context.ts";
import { DailyQuota } from "./operations/daily-quota.ts";
import * as firstAccounts from "./operations/first-accounts.ts";
import { KnownQueues } from "./operations/known-queues.ts";
import { type Clock, systemClock } from "./platform/clock.ts";
import { DiskSpace } from "./platform/disk-space.ts";
import { createIds, type Ids } from "./platform/ids.ts";
import type { Log } from "./platform/log.ts";
import { createSecretBox } from "./platform/secret-box.ts";
import { Bell } from "./store/bell.ts";
import { SqliteStore } from "./store/sqlite/sqlite-store.ts";
import type { Store } from "./store/store.ts";

export interface ServiceOptions {
  readonly log: Log;
  readonly onAttempt?: ((report: AttemptReport) => void) | undefined;
  /** The service cannot go on; the process should end. */
  readonly onFatal: (error: Error) => void;
  readonly clock?: Clock | undefined;
  readonly ids?: Ids | undefined;
}

export interface Service {
  /** Where it listens. */
  readonly url: string;
  readonly port: number;
  /** What a start found of an earlier life. */
  readonly recovery: Recovery;
  /** Shown once: of a new service, or of dev, where everybody knows them. */
  readonly credentials: firstAccounts.Credentials | null;
  /** The operator gave a token, but the account was made earlier with another. */
  readonly isSeedIgnored: boolean;
  /** Takes no more work, finishes what is under way for at most `graceMs`, and closes the store. */
  stop(graceMs?: number): Promise<void>;
}

interface Ground {
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Joins the parts and starts them. */
export async function startService(settings: Settings, options: ServiceOptions): Promise<Service> {
  const ground = { clock: options.clock ?? systemClock, ids: options.ids ?? createIds() };
  const secretKey = secretKeyOf(settings, ground.ids);
  const store = await openStore(settings, options, ground.clock);
  try {
    return await startOver(store, secretKey, settings, options, ground);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Opens the store that the settings name. Its schema is brought up to date on the way. */
export async function openStore(
  settings: Settings,
  { log, onFatal }: Pick<ServiceOptions, "log" | "onFatal">,
  clock: Clock = systemClock,
): Promise<Store> {
  if (settings.databaseUrl === undefined) {
    return SqliteStore.open({ path: databasePath(settings), clock, onFatal });
  }
  const { PostgresStore } = await import("./store/postgres/postgres-store.ts");
  return PostgresStore.open({ url: settings.databaseUrl, clock, log });
}

export function databasePath(settings: Settings): string {
  return join(resolve(settings.data), "postrider.db");
}

async function startOver(
  store: Store,
  secretKey: string,
  settings: Settings,
  options: ServiceOptions,
  { clock, ids }: Ground,
): Promise<Service> {
  const secretBox = createSecretBox(secretKey, ids);
  const accountsOptions = { store, clock, ids, secretBox };
  const prepared = await prepareAccounts(settings, accountsOptions);
  const accounts = new Accounts(accountsOptions);
  const bell = new Bell();
  const policy = policyOf(settings);
  const courier = createCourier(settings, policy, { clock, ids });
  const engine = createEngine(settings, options, { store, courier, accounts, bell, clock, ids });
  const disk = await watchDisk(settings, clock, options.log);
  const context: Context = {
    store,
    clock,
    ids,
    bell,
    handOver: engine.handOver,
    dailyQuota: new DailyQuota(store.reader, clock),
    knownQueues: new KnownQueues(store.reader, clock),
    readDestination: destinationReader(policy),
    cursorSecret: secretBox.derive("cursors"),
    storedBytesMax: settings.maxBatchBytes,
    isDiskLow: () => disk?.isLow ?? false,
  };
  const door = openDoor(settings, context, accounts, options.log);
  const close = async (): Promise<void> => {
    door.close();
    disk?.stop();
    await courier.close();
  };
  try {
    const port = await door.listen();
    // What is sent first may be for our own echo, so the door is open before the engine starts.
    const recovery = await engine.start();
    door.setReady(true);
    const stop = async (graceMs = GRACE_MS): Promise<void> => {
      door.setReady(false);
      await door.drain();
      await engine.stop(graceMs);
      await close();
      await store.close();
    };
    return { ...prepared, url: urlOf(settings.host, port), port, recovery, stop };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The API and all that it needs at the door. */
function openDoor(settings: Settings, context: Context, accounts: Accounts, log: Log) {
  const { clock, ids } = context;
  const uploads = new UploadWatch(clock);
  let isReady = false;
  const server = new ApiServer({
    context,
    accounts,
    clock,
    ids,
    log,
    uploads,
    burstLimit: new BurstLimit(clock),
    gate: new MemoryGate({ clock, ...gateLimits(settings.maxBatchBytes) }),
    callerIp: callerIpReader(settings.trustedProxies),
    isReady: () => isReady,
    hasEcho: settings.mode === "dev",
  });
  uploads.start();
  return {
    listen: () => listen(server, settings),
    setReady: (ready: boolean) => (isReady = ready),
    drain: () => drain(server, clock),
    close: () => {
      server.close();
      uploads.stop();
    },
  };
}

function createCourier(
  settings: Settings,
  policy: EgressPolicy,
  { clock, ids }: Ground,
): HttpCourier {
  return new HttpCourier({
    clock,
    ids,
    policy,
    region: settings.region,
    connectionsMax: ENGINE_LIMITS.slotsPerHost,
    extraAuthorities: readAuthorities(settings.egressCa),
    proxy: settings.egressProxy,
  });
}

function createEngine(
  settings: Settings,
  { log, onAttempt, onFatal }: ServiceOptions,
  parts: Pick<EngineOptions, "store" | "courier" | "bell" | "clock" | "ids"> & {
    readonly accounts: Accounts;
  },
): Engine {
  return new Engine({
    ...parts,
    log,
    signingKey: (accountId) => parts.accounts.signingKey(accountId),
    responseBytesKept: (accountId) => parts.accounts.eventBytesMax(accountId),
    onAttempt: onAttempt ?? (() => undefined),
    onFatal,
    alone: settings.databaseUrl === undefined,
    limits: { ...ENGINE_LIMITS, logBytesMax: settings.maxLogBytes },
  });
}

/** Lets the requests under way finish, for a while. */
async function drain(server: ApiServer, clock: Clock): Promise<void> {
  const patience = new AbortController();
  await Promise.race([server.drain(), clock.sleep(DRAIN_MS_MAX, patience.signal)]);
  patience.abort();
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

interface PreparedAccounts {
  readonly credentials: firstAccounts.Credentials | null;
  readonly isSeedIgnored: boolean;
}

async function prepareAccounts(
  settings: Settings,
  accountsOptions: AccountsOptions,
): Promise<PreparedAccounts> {
  if (settings.mode === "dev") {
    await firstAccounts.addDevAccounts(accountsOptions);
    return { credentials: firstAccounts.devCredentials(), isSeedIgnored: false };
  }
  if (await firstAccounts.hasDevAccounts(accountsOptions)) {
    throw new SettingError(
      "this data was made by postrider dev, whose tokens everybody knows; give serve a --data folder of its own",
    );
  }
  const { issued, isSeedIgnored } = await firstAccounts.addFirstAccount(accountsOptions, settings);
  return { credentials: issued, isSeedIgnored };
}

function secretKeyOf(settings: Settings, ids: Ids): string {
  if (settings.secretKey !== undefined) return settings.secretKey;
  if (settings.databaseUrl !== undefined && settings.mode === "serve") {
    throw new SettingError(
      "with PostgreSQL, --secret-key (POSTRIDER_SECRET_KEY) must be given, the same for every node",
    );
  }
  return keepSecretKey(resolve(settings.data), ids);
}

function policyOf({ mode, egressAllow, httpsOnly }: Settings): EgressPolicy {
  return { mode, allow: egressAllow, httpsOnly };
}

/** Only a disk that we write to ourselves can be watched. */
async function watchDisk(
  { databaseUrl, data, minFreeDisk }: Settings,
  clock: Clock,
  log: Log,
): Promise<DiskSpace | null> {
  if (databaseUrl !== undefined || minFreeDisk === 0) return null;
  const disk = new DiskSpace({ folder: resolve(data), freeBytesMin: minFreeDisk, clock, log });
  await disk.start();
  return disk;
}

/** A newcomer's first start must not fail because something else runs; a server's must. */
async function listen(server: ApiServer, { mode, host, port }: Settings): Promise<number> {
  try {
    return await server.listen(port, host, mode === "dev" && port !== 0 ? DEV_PORTS_TRIED : 1);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new SettingError(`port ${port} on ${host} is taken; stop what uses it, or give --port`);
  }
}

const ENGINE_LIMITS: Omit<EngineLimits, "logBytesMax"> = {
  slots: 1_024,
  slotsPerHost: 256,
  bytesMax: 128 * 1024 * 1024,
};
const GRACE_MS = 30_000;
const DRAIN_MS_MAX = 10_000;
const DEV_PORTS_TRIED = 20;
