import type { NewMessage } from "../../src/core/change.ts";
import { keyLine, queueLine, type LinePatch } from "../../src/core/model/line/line.ts";
import { SETTINGS } from "../../src/config/settings.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createIds } from "../../src/platform/ids.ts";
import { createSecretBox } from "../../src/platform/secret-box.ts";
import { drawSigningKey, encodeToken, hashToken } from "../../src/platform/token.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { anAccount, aNewMessage, type MessageFields } from "../support/messages.ts";

const ITEMS_PER_ACT = 250;
const ACTS_AT_ONCE = 8;
const HOSTS = 100;
/** The account that the service makes at its first start, since its token names it. */
export const ACCOUNT = "bench";
export const SECRET_KEY = "bench-secret-key-of-the-benchmark";
/** Of each kind. */
const WAITING_LINES = 1_000;
const DELAY_MS = 24 * 3_600_000;
const DELAYS_MS = 30 * DELAY_MS;
const body = new Uint8Array(256);
const ids = createIds();
const onFatal = (error: Error): never => {
  throw error;
};

/** The first account is the one that the service makes by itself. */
export const accountIdOf = (index: number): string => (index === 0 ? ACCOUNT : `bench-${index}`);

export const benchToken = (accountId: string): string => encodeToken(accountId, "bench");

/** Accounts beside the first one. */
export async function addAccounts(store: Store, count: number): Promise<void> {
  const box = createSecretBox(SECRET_KEY, ids);
  for (let index = 1; index < count; index += 1) {
    const accountId = accountIdOf(index);
    const tokenHash = hashToken(benchToken(accountId));
    const key = box.seal(drawSigningKey(ids), accountId);
    const account = anAccount({ accountId, tokenHash, signingKeys: { current: key, next: key } });
    await store.act({ rule: "add-account", account });
  }
}

/** What is put into a store before the service starts over it. */
export type Filling = (store: Store) => Promise<void>;

/** Messages that wait in turn for their time, in queues, and under keys. The lines are paused. */
export const addWaiting =
  (count: number): Filling =>
  async (store) => {
    const patch = { paused: true };
    await addLines(store, WAITING_LINES, (index) => queueLine(waitingLine(index)), patch);
    await addLines(store, WAITING_LINES, (index) => keyLine(waitingLine(index)), patch);
    await fill(store, count, waiting);
  };

const waitingLine = (index: number): string => `waiting-${index % WAITING_LINES}`;

function waiting(index: number): NewMessage {
  const name = waitingLine(Math.floor(index / 3));
  if (index % 3 === 1) return aWaiting(index, { queueName: name });
  if (index % 3 === 2) return aWaiting(index, { flowControl: { key: name, periodMs: 1_000 } });
  return aWaiting(index, {
    notBefore: systemClock.now() + DELAY_MS + ((index * 3_600) % DELAYS_MS),
  });
}

export async function fillSqlite(path: string, filling: Filling): Promise<void> {
  const store = await SqliteStore.open({ path, clock: systemClock, onFatal });
  await filling(store);
  await store.close();
}

export async function fillPostgres(url: string, filling: Filling): Promise<void> {
  const { PostgresStore } = await import("../../src/store/postgres/postgres-store.ts");
  const schema = SETTINGS.databaseSchema.defaults.serve;
  const store = await PostgresStore.open({ url, clock: systemClock, schema });
  await filling(store);
  await store.close();
}

/** Queues, as if they had been in use; so many are more than the account may have by itself. */
export function addQueues(store: Store, count: number): Promise<void> {
  return addLines(store, count, (index) => queueLine(`q${index}`), {});
}

/** Flow-control keys as the publisher says them. */
export function addKeys(store: Store, count: number): Promise<void> {
  return addLines(store, count, (index) => keyLine(`k${index}`), { parallelism: 10 });
}

async function addLines(
  store: Store,
  count: number,
  lineOf: (index: number) => string,
  patch: LinePatch,
): Promise<void> {
  const at = systemClock.now();
  const put = (index: number): Promise<unknown> => {
    const key = { accountId: ACCOUNT, line: lineOf(index) };
    return store.act({
      rule: "set-line",
      at,
      ...key,
      patch,
      ifMissing: "add",
      queuesMax: null,
    });
  };
  for (let made = 0; made < count; made += ITEMS_PER_ACT) {
    const size = Math.min(ITEMS_PER_ACT, count - made);
    await Promise.all(Array.from({ length: size }, (_, index) => put(made + index)));
  }
}

/** Messages that are due, and that a paused key holds back. */
export async function addBehindKey(store: Store, count: number): Promise<void> {
  const key = "shut";
  await addLines(store, 1, () => keyLine(key), { paused: true });
  await fill(store, count, (index) => aWaiting(index, { flowControl: { key, periodMs: 1_000 } }));
}

/** Puts messages into a store, as many publishers would have. */
async function fill(
  store: Store,
  count: number,
  make: (index: number) => NewMessage,
): Promise<void> {
  for (let made = 0; made < count;) {
    const acts: Promise<unknown>[] = [];
    for (let act = 0; act < ACTS_AT_ONCE && made < count; act++) {
      const size = Math.min(ITEMS_PER_ACT, count - made);
      const items = Array.from({ length: size }, (_, index) => ({
        message: make(made + index),
        deduplication: null,
      }));
      acts.push(store.act({ rule: "publish", at: systemClock.now(), items }));
      made += size;
    }
    await Promise.all(acts);
  }
}

function aWaiting(index: number, fields: MessageFields): NewMessage {
  const createdAt = systemClock.now();
  return aNewMessage({
    accountId: ACCOUNT,
    messageId: ids.sortable("msg_", createdAt),
    url: `https://host-${index % HOSTS}.example/hook`,
    createdAt,
    body,
    ...fields,
  });
}
