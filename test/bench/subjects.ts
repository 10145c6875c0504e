import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { freePort } from "../support/free-port.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { besides, Child } from "./child.ts";
import {
  accountIdOf,
  benchToken,
  fillPostgres,
  type Filling,
  fillSqlite,
  SECRET_KEY,
} from "./fill.ts";

/** Something that takes messages on a port and delivers them. */
export interface Subject {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** The database server that only this subject uses, if it uses one. */
  readonly serverPid?: number;
  /** Where it takes messages, when not where we do. */
  readonly path?: string;
  stop(): Promise<void>;
}

export const BENCH_TOKEN = benchToken(accountIdOf(0));

/** Of accounts that are filled before the service starts; see fill.ts. */
export function benchTokens(accounts: number): string[] {
  return Array.from({ length: accounts }, (_, index) => benchToken(accountIdOf(index)));
}

export async function startFloor(): Promise<Subject> {
  const child = new Child(besides("relay.ts"), []);
  const port = Number(await child.line());
  return { name: "floor", port, pid: child.pid, stop: () => child.stop() };
}

/** The service on a fresh SQLite file, or on one that was filled before. */
export async function startSqlite(
  filling?: Filling,
  holding = "",
  flags: readonly string[] = [],
): Promise<Subject> {
  const data = mkdtempSync(join(tmpdir(), "postrider-bench-"));
  if (filling !== undefined) await fillSqlite(join(data, "postrider.db"), filling);
  const subject = await startSqliteOver(data, flags);
  return {
    ...subject,
    name: `sqlite${holding}`,
    stop: async () => {
      await subject.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** The service on a folder that was filled before. */
export function startSqliteOver(data: string, flags: readonly string[] = []): Promise<Subject> {
  return startService("sqlite", ["--data", data, ...KEY_FLAGS], flags);
}

/** The service as one node on a durable PostgreSQL of its own. */
export async function startPostgresNode(
  filling?: Filling,
  holding = "",
  flags: readonly string[] = [],
): Promise<Subject> {
  const server = await startPostgres({ durable: true });
  if (filling !== undefined) await fillPostgres(server.url, filling);
  const subject = await startNodeOn(server.url, flags);
  return {
    ...subject,
    name: `postgres${holding}`,
    serverPid: server.pid,
    stop: async () => {
      await subject.stop();
      await server.stop();
    },
  };
}

/** The service as a node on a PostgreSQL that others may use too. */
export function startNodeOn(databaseUrl: string, flags: readonly string[] = []): Promise<Subject> {
  return startService("postgres", ["--database-url", databaseUrl, ...KEY_FLAGS], flags);
}

/** What is filled before the service starts has no key beside it. */
const KEY_FLAGS = ["--secret-key", SECRET_KEY];

/** Flags of Node for a service that counts no messages, attempts and answer times. */
export const WITHOUT_NUMBERS = ["--import", besides("without-numbers.ts")];

/** The folder of another checkout whose service is started, in place of this one's. */
let checkout = besides("../..");

/** Starts the service of another checkout. */
export async function ofCheckout(folder: string, start: () => Promise<Subject>): Promise<Subject> {
  const own = checkout;
  checkout = folder;
  try {
    const subject = await start();
    return { ...subject, name: `${subject.name}, other` };
  } finally {
    checkout = own;
  }
}

async function startService(
  name: string,
  args: readonly string[],
  flags: readonly string[],
): Promise<Subject> {
  const port = await freePort();
  const main = join(checkout, "src/cli/main.ts");
  const fixed = ["serve", "--host", "127.0.0.1", "--port", String(port), "--log", "quiet"];
  const child = new Child(main, [...fixed, "--egress-allow", "127.0.0.0/8", ...args], {
    POSTRIDER_TOKEN: BENCH_TOKEN,
    NODE_OPTIONS: [process.env["NODE_OPTIONS"] ?? "", ...flags].join(" "),
  });
  await ready(port);
  return { name, port, pid: child.pid, stop: () => child.stop() };
}

async function ready(port: number): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the service did not become ready");
}
