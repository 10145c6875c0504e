import { join, resolve } from "node:path";
import { createApi } from "./api/api.ts";
import { Listeners } from "./api/http/server/listeners.ts";
import { portRoutes } from "./api/routes.ts";
import { readAuthorities } from "./config/authority-file.ts";
import { type Control, removeControlFile, writeControlFile } from "./config/control-file.ts";
import { guardFiles } from "./config/data-folder.ts";
import { openFiles } from "./config/open-files.ts";
import { type SecretKeys, secretKeysOf } from "./config/secret-key-file.ts";
import type { Settings } from "./config/settings.ts";
import { VERSION } from "./config/version.ts";
import type { EgressPolicy } from "./core/policy/egress/egress.ts";
import { HttpCourier } from "./delivery/http-courier.ts";
import { policyOf } from "./delivery/guard/own-addresses.ts";
import { CONNECTIONS_OF_HOST_MAX, engineLimits, Engine } from "./engine/engine.ts";
import type { AttemptReport, EngineOptions, Recovery } from "./engine/engine-options.ts";
import { type AccountParts, joinAccounts } from "./operations/account/account-parts.ts";
import { followSecretKey, requireSecretKey } from "./operations/account/secret-key.ts";
import type { Context } from "./operations/context.ts";
import { type PreparedAccounts, prepareAccounts } from "./operations/account/first-accounts.ts";
import { idleContext } from "./operations/idle-context.ts";
import { VirtualClock } from "./operations/virtual-clock.ts";
import { type Clock, type DueClock, systemClock } from "./platform/clock.ts";
import { DiskSpace } from "./platform/disk-space.ts";
import { endsWithin } from "./platform/ends-within.ts";
import { createIds, type Ids } from "./platform/ids.ts";
import { LeapingClock } from "./platform/leaping-clock.ts";
import type { Log } from "./platform/log.ts";
import { hasDatabase, SqliteStore } from "./store/sqlite/sqlite-store.ts";
import type { StartThreads } from "./store/sqlite/thread/thread-calls.ts";
import type { Store } from "./store/store.ts";

export interface ServiceOptions extends Pick<EngineOptions, "onMoved"> {
  readonly log: Log;
  /** Shows what is shown once. */
  readonly onPrepared?: ((prepared: PreparedAccounts) => void) | undefined;
  readonly onAttempt?: ((report: AttemptReport) => void) | undefined;
  /** Called when the service cannot continue; the process should end. */
  readonly onFatal: (error: Error) => void;
  /** The clock of the machine; that of dev can be put forward from it. */
  readonly clock?: Clock | undefined;
  readonly ids?: Ids | undefined;
  readonly startThreads?: StartThreads | undefined;
}

type StoreOptions = Pick<ServiceOptions, "log" | "onFatal" | "clock" | "startThreads">;

export interface Service extends PreparedAccounts {
  readonly url: string;
  readonly port: number;
  readonly consoleUrl: string;
  /** What the start recovered from an earlier process. */
  readonly recovery: Recovery;
  /** No delivery starts until an operator resumes the service. */
  readonly isPaused: boolean;
  readonly clock: DueClock;
  /** Only in dev. */
  readonly virtualClock: VirtualClock | null;
  /**
   * Tells balancers for `--drain` to send requests elsewhere, then accepts no more work, finishes
   * attempts in progress for at most `graceMs`, and closes the store. It ends soon afterwards, even
   * when the store cannot be reached.
   */
  stop(graceMs?: number): Promise<void>;
}

interface ClocksAndIds {
  readonly clock: DueClock;
  /** By which requests, calls and sessions are timed, also while that of dev is ahead. */
  readonly machineClock: Clock;
  readonly ids: Ids;
}

/** Builds all parts of the service and starts them. */
export async function startService(settings: Settings, options: ServiceOptions): Promise<Service> {
  const ids = options.ids ?? createIds();
  const own = options.clock ?? systemClock;
  const leaping = settings.mode === "dev" ? new LeapingClock(own) : null;
  const { store, secretKeys } = await openWithKey(
    settings,
    { ...options, clock: leaping ?? own },
    ids,
  );
  const { clock } = store;
  const virtualClock = leaping && new VirtualClock(leaping, store, own);
  const clocks = { clock, machineClock: leaping === null ? clock : own, virtualClock, ids };
  try {
    const started = await startOnStore(store, secretKeys, settings, options, clocks);
    return { ...started, clock, virtualClock };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Opens the store that the settings name, and migrates its schema. */
export async function openStore(
  settings: Settings,
  { clock = systemClock, log, ...options }: StoreOptions,
  beforeOpening: () => void,
): Promise<Store> {
  const { databaseUrl: url, databaseSchema: schema } = settings;
  if (url === undefined) {
    const path = databasePath(settings);
    return SqliteStore.open({ path, clock, log, ...options, beforeOpening });
  }
  beforeOpening();
  const { PostgresStore } = await import("./store/postgres/postgres-store.ts");
  return PostgresStore.open({ url, schema, clock, log });
}

/** The secret key is on disk before there is a database that only it opens. */
async function openWithKey(
  settings: Settings,
  options: StoreOptions,
  ids: Ids,
): Promise<{ readonly store: Store; readonly secretKeys: SecretKeys }> {
  let secretKeys: SecretKeys | undefined;
  const store = await openStore(settings, options, () => {
    secretKeys = secretKeysFor(settings, ids);
    if (settings.databaseUrl === undefined) guardFiles(resolve(settings.data), options.log);
  });
  return { store, secretKeys: secretKeys! };
}

export function secretKeysFor(settings: Settings, ids: Ids): SecretKeys {
  return secretKeysOf(settings, ids, hasDatabase(databasePath(settings)));
}

export function databasePath(settings: Settings): string {
  return join(resolve(settings.data), "postrider.db");
}

async function startOnStore(
  store: Store,
  secretKeys: SecretKeys,
  settings: Settings,
  options: ServiceOptions,
  { virtualClock, ...clocks }: ClocksAndIds & Pick<Service, "virtualClock">,
): Promise<Omit<Service, "clock" | "virtualClock">> {
  const parts = joinAccounts(store, secretKeys, settings, clocks);
  const policy = policyOf(settings);
  const courier = createCourier(settings, policy, clocks);
  const idle = idleContext(parts, settings, policy);
  const engine = createEngine(settings, options, { ...idle, ...parts, ...clocks, courier });
  const disk = await watchDisk(settings, clocks.machineClock, options.log);
  const context: Context = {
    ...idle,
    handOver: engine.handOver,
    nodeLoad: () => engine.load,
    isDiskLow: () => disk?.isLow ?? false,
    isStandbyMissing: () => engine.isStandbyMissing,
    isStandingStill: () => engine.isStandingStill,
    lostNodes: () => engine.lostNodes,
  };
  const listeners = listenersOver(settings, context, parts, options.log, virtualClock);
  const close = async (): Promise<void> => {
    listeners.close();
    disk?.stop();
    await courier.close();
  };
  try {
    const { port, consolePort } = await listeners.open();
    policy.own.add(settings.host, [port, consolePort]);
    const folder = settings.databaseUrl === undefined ? resolve(settings.data) : null;
    const url = urlOf(settings.host, port);
    const consoleUrl = urlOf(settings.host, consolePort);
    // Only SQLite data is held by one process, so commands must call that process.
    if (folder !== null) writeControlFile(folder, { url: consoleUrl, secret: parts.controlSecret });
    const prepared = await prepareAccounts(settings, parts.manage, options.onPrepared);
    // The first delivery may go to the built-in echo, so the server listens before the engine works.
    if (settings.paused) await store.act({ rule: "pause-service", isPaused: true });
    const { isPaused } = await store.reader.service.get();
    const recovery = await engine.start();
    listeners.becomeReady();
    const finish = async (graceMs: number): Promise<void> => {
      await Promise.all([listeners.drain(graceMs), engine.stop(graceMs)]);
      await engine.leave();
      await close();
      await store.close();
    };
    const stop = async (graceMs = settings.shutdownGrace): Promise<void> => {
      if (folder !== null) removeControlFile(folder);
      await listeners.turnAway();
      const within = endsWithin(clocks.machineClock, graceMs + CLOSING_MS, finish(graceMs));
      if (!(await within)) options.log.warn(CUT_OFF);
    };
    return { ...prepared, url, port, consoleUrl, recovery, isPaused, stop };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What sends deliveries as the settings say. */
export function createCourier(
  settings: Settings,
  policy: EgressPolicy,
  { machineClock, ids }: Pick<ClocksAndIds, "machineClock" | "ids">,
): HttpCourier {
  return new HttpCourier({
    // Receivers verify signatures by the clock of their machine.
    clock: machineClock,
    ids,
    policy,
    region: settings.region,
    connectionsMax: CONNECTIONS_OF_HOST_MAX,
    extraAuthorities: readAuthorities(settings.egressCa),
    proxy: settings.egressProxy,
  });
}

function createEngine(
  settings: Settings,
  { log, onAttempt, onFatal, onMoved }: ServiceOptions,
  parts: Context & ClocksAndIds & AccountParts & { readonly courier: HttpCourier },
): Engine {
  return new Engine({
    ...parts,
    log,
    account: (accountId) => parts.accounts.activeAccount(accountId),
    signingKey: (accountId) => parts.accounts.signingKey(accountId),
    responseBytesKept: (accountId) => parts.accounts.eventBytesMax(accountId),
    onAttempt: onAttempt ?? (() => undefined),
    onFatal,
    onMoved,
    keyIds: () => parts.secretBox.keyIds,
    onSecretKey: (mark) => {
      try {
        followSecretKey(parts.secretBox, mark);
      } catch (error) {
        onFatal(error as Error);
      }
    },
    alone: settings.databaseUrl === undefined,
    version: VERSION,
    requiresStandby: settings.requireSynchronousStandby,
    limits: engineLimits(settings, openFiles()),
  });
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The console of a store that no running service holds. Nothing is leased and nothing is sent. */
export async function openConsole(settings: Settings, log: Log): Promise<OpenConsole> {
  const ids = createIds();
  const { store, secretKeys } = await openWithKey(settings, { log, onFatal: rethrow }, ids);
  try {
    const { clock } = store;
    const parts = joinAccounts(store, secretKeys, settings, { clock, machineClock: clock, ids });
    await requireSecretKey(parts.manage);
    const context = idleContext(parts, settings, policyOf(settings));
    const listeners = listenersOver(settings, context, parts, log);
    const port = await listeners.openConsole();
    listeners.becomeReady();
    const close = async (): Promise<void> => {
      listeners.close();
      await store.close();
    };
    return { url: urlOf("127.0.0.1", port), secret: parts.controlSecret, close };
  } catch (error) {
    await store.close();
    throw error;
  }
}

function listenersOver(
  settings: Settings,
  context: Context,
  parts: AccountParts,
  log: Log,
  virtualClock: VirtualClock | null = null,
) {
  const options = { settings, context, ...parts, virtualClock, log, openFiles: openFiles() };
  const routes = portRoutes(virtualClock !== null);
  return new Listeners(settings, routes, (life) => createApi(options, life));
}

function rethrow(error: Error): never {
  throw error;
}

export interface OpenConsole extends Control {
  close(): Promise<void>;
}

/** Only the disk of SQLite data can be watched. */
function watchDisk({ databaseUrl, data, minFreeDisk }: Settings, clock: Clock, log: Log) {
  if (databaseUrl !== undefined || minFreeDisk === 0) return null;
  return DiskSpace.watch({ folder: resolve(data), freeBytesMin: minFreeDisk, clock, log });
}

/** Time for closing connections and the store after the grace period. */
const CLOSING_MS = 5_000;
const CUT_OFF =
  "not every result could be recorded in time; attempts in progress may be sent again";
