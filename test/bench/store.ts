import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Act } from "../../src/core/rules/registry.ts";
import type { PublishAct } from "../../src/core/rules/message/publish.ts";
import type { SettleAct } from "../../src/core/rules/message/settlement.ts";
import { FIRST_FENCE } from "../../src/core/rules/message/compose-message.ts";
import { keyUsed, queueUsed } from "../../src/core/rules/line/lines.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { UsedLine } from "../../src/core/model/line/line.ts";
import { createIds } from "../../src/platform/ids.ts";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { anAttempt, aPublish, aPublishItem, type MessageFields } from "../support/messages.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { cpuUs, familyCpuUs } from "./process-stats.ts";

/**
 * `node scripts/bootstrap.mjs test/bench/store.ts`: the processor time that storing takes by itself.
 * Each group stores messages already under way and settles those of the group before it. It varies
 * far less than messages per second do on a machine that has other work too.
 */
const { values } = parseArgs({
  options: {
    stores: { type: "string", default: "sqlite,postgres" },
    messages: { type: "string", default: "30" },
    groups: { type: "string", default: "400" },
    lines: { type: "string", default: "0" },
    /** Settlements are groups of their own, as on a node with little to do. */
    apart: { type: "boolean", default: false },
  },
});

const MESSAGES = Number(values.messages);
const GROUPS = Number(values.groups);
/** Messages go in turn into so many queues, and under as many flow-control keys. */
const LINES = Number(values.lines);
const WARM_UP_GROUPS = 100;
const ACCOUNT_ID = "00000000-0000-4000-8000-000000000001";
const NODE_ID = "node_of_the_benchmark";
const ids = createIds();
let turn = 0;

for (const name of values.stores.split(",")) {
  if (name === "sqlite") await measureSqlite();
  else await measurePostgres();
}

async function measureSqlite(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "postrider-bench-"));
  const store = await SqliteStore.open({
    path: join(folder, "data.db"),
    clock: systemClock,
    onFatal: (error) => {
      throw error;
    },
  });
  const usedUs = await usedBy(store, () => cpuUs(process.pid));
  console.log(`sqlite    ${usedUs.toFixed(0)} us a message, the writer's thread included`);
  await store.close();
  rmSync(folder, { recursive: true });
}

async function measurePostgres(): Promise<void> {
  const server = await startPostgres({ durable: true });
  const store = await PostgresStore.open({ url: server.url, clock: systemClock });
  const before = familyCpuUs(server.pid);
  const usedUs = await usedBy(store, () => cpuUs(process.pid));
  const served = (familyCpuUs(server.pid) - before) / (MESSAGES * (GROUPS + WARM_UP_GROUPS));
  console.log(
    `postgres  ${usedUs.toFixed(0)} us a message, and ${served.toFixed(0)} in the server`,
  );
  await store.close();
  await server.stop();
}

/** What was used for each message, once the hot code is compiled. */
async function usedBy(store: Store, clockUs: () => number): Promise<number> {
  const earlier = await writeGroups(store, WARM_UP_GROUPS, []);
  const before = clockUs();
  await writeGroups(store, GROUPS, earlier);
  return (clockUs() - before) / (MESSAGES * GROUPS);
}

async function writeGroups(
  store: Store,
  count: number,
  earlier: readonly PublishAct[],
): Promise<readonly PublishAct[]> {
  let underWay = earlier;
  for (let group = 0; group < count; group++) {
    const at = systemClock.now();
    const published = Array.from({ length: MESSAGES }, () => publishOf(at));
    const settled = underWay.map((publish) => settlementOf(publish, at));
    const groups = values.apart ? [settled, published] : [[...settled, ...published]];
    for (const acts of groups) await Promise.all(acts.map((act: Act) => store.act(act)));
    underWay = published;
  }
  return underWay;
}

function publishOf(at: number): PublishAct {
  const messageId = ids.sortable("msg_", at);
  const key = { accountId: ACCOUNT_ID, messageId, createdAt: at };
  const body = new Uint8Array(256);
  if (LINES === 0) return aPublish(at, aPublishItem({ ...key, body, leasedBy: NODE_ID }));
  turn = (turn + 1) % (2 * LINES);
  const name = String(turn >> 1);
  const [fields, used] = turn % 2 === 0 ? inQueue(name) : underKey(name);
  const item = aPublishItem({ ...key, body, ...fields });
  const message = { ...item.message, uses: [used] };
  return aPublish(at, { ...item, message, nodeId: NODE_ID });
}

type InLine = readonly [fields: MessageFields, used: UsedLine];

function inQueue(queueName: string): InLine {
  return [{ queueName }, queueUsed(ACCOUNT_ID, queueName)];
}

function underKey(key: string): InLine {
  const flowControl = { key, parallelism: 10, periodMs: 1000 };
  return [{ flowControl }, keyUsed(ACCOUNT_ID, flowControl)];
}

function settlementOf({ items }: PublishAct, at: number): SettleAct {
  const { accountId, messageId } = items[0]!.message.state;
  const lease = { accountId, messageId, fence: FIRST_FENCE };
  const attempt = anAttempt({ accountId, messageId, startedAt: at, endedAt: at });
  return { rule: "settle", at, lease, attempt, verdict: { kind: "delivered" }, source: null };
}
