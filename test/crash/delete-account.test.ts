/** What is left of an account when the service dies while it deletes it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import { ACCOUNT_TABLES } from "../../src/store/upkeep/remove-account.ts";
import { nodesOn, ServiceProcess } from "../prove/service-process.ts";
import { callConsole, type FreshAccount, freshAccount } from "../support/console-call.ts";
import { until } from "../support/eventually.ts";
import { steadyPort } from "../support/free-port.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { freshDatabase, postgresMissing } from "../support/postgres-url.ts";
import { FailpointFile, MOMENTS } from "./failpoint.ts";
import { oneOf, SEED, upTo } from "./sample.ts";
import { type Select, selectInPostgres, selectInSqlite } from "./stored-rows.ts";

const moduleOf = (name: string): string => new URL(`./${name}.ts`, import.meta.url).href;
const IN_SQLITE = moduleOf("sqlite-failpoint");
const IN_POSTGRES = moduleOf("postgres-failpoint");
const HASTY = moduleOf("hasty-clock");
const LATER = moduleOf("later-clock");
const OPERATOR = ["admin", "the-password-of-the-operator"] as const;
const PASSWORD = { POSTRIDER_ADMIN_PASSWORD: OPERATOR[1] };
/** More than a page of some tables. */
const MESSAGES = 250;
/** So many transactions every deletion has: one for the mark, and one for each page. */
const PAGES = 15;

const mark = { at: 1, moment: "after" } as const;
const page = { at: 1 + upTo(PAGES), moment: oneOf(MOMENTS) };
const again = { at: upTo(PAGES / 2), moment: oneOf(MOMENTS) };

test(`nothing is left although the service on SQLite dies three times, seed ${SEED}`, async (t) => {
  const folder = freshFolder(t);
  const data = join(folder, "data");
  const failpoints = new FailpointFile(join(folder, "failpoint"));
  const environment = { ...PASSWORD, ...failpoints.environment };
  const service = new ServiceProcess(await steadyPort(), ["--data", data]);
  t.after(() => service.kill("SIGKILL"));
  await service.start({ preload: [IN_SQLITE], environment });
  const { gone, other } = await filled(service.url);
  failpoints.tell(mark);
  await assert.rejects(() => deleteAccount(service.url, gone));
  for (const failpoint of [page, again]) {
    await service.dead();
    failpoints.tell(failpoint);
    service.launch({ preload: [IN_SQLITE], environment });
  }
  await service.dead();
  failpoints.tell(null);
  const select = selectInSqlite(join(data, "postrider.db"));
  assert.ok((await leftOf(select, gone)).length > 1, "it died before the end");
  await service.start({ preload: [LATER], isOnSource: true, environment: PASSWORD });
  await requireNothing(select, gone, other, service.url);
});

test("nothing is left although one of two nodes dies", { skip: postgresMissing() }, async (t) => {
  const database = await freshDatabase();
  const failpoints = new FailpointFile(join(freshFolder(t), "failpoint"));
  const environment = { ...PASSWORD, ...failpoints.environment };
  const [mortal, survivor] = (await nodesOn(database.url, 2)) as [ServiceProcess, ServiceProcess];
  t.after(async () => {
    await Promise.all([mortal, survivor].map((node) => node.kill("SIGKILL")));
    await database.drop();
  });
  await mortal.start({ preload: [IN_POSTGRES], isOnSource: true, environment });
  await survivor.start({ preload: [HASTY], isOnSource: true, environment: PASSWORD });
  const { gone, other } = await filled(mortal.url);
  // Every change is made by the one that dies; the other one then finds what it has left.
  survivor.sleep();
  failpoints.tell(page);
  await deleteAccount(mortal.url, gone);
  await mortal.dead();
  const select = selectInPostgres(database.url);
  assert.ok((await leftOf(select, gone)).length > 1, "it died before the end");
  survivor.wake();
  const isEmpty = async (): Promise<boolean> => (await leftOf(select, gone)).join() === "accounts";
  await until(isEmpty, "the other node to remove all but the account");
  await survivor.kill("SIGKILL");
  for (const node of [mortal, survivor]) {
    await node.start({ preload: [LATER], isOnSource: true, environment: PASSWORD });
  }
  await requireNothing(select, gone, other, mortal.url);
});

interface Filled {
  readonly gone: FreshAccount;
  readonly other: FreshAccount;
}

/** An account with something of everything, and another one with a message. */
async function filled(url: string): Promise<Filled> {
  const [gone, other] = [
    await freshAccount(url, {}, OPERATOR),
    await freshAccount(url, {}, OPERATOR),
  ];
  const destination = "http://127.0.0.1:1/nobody";
  const later = { "Svc-Delay": "30d" };
  await other.publish(destination, later);
  const items = Array.from({ length: 50 }, (_, n) => ({
    destination,
    headers: {
      ...later,
      "Svc-Label": "many",
      "Svc-Flow-Control-Key": `key-${n}`,
      "Svc-Flow-Control-Value": "rate=1",
    },
    body: "x",
  }));
  for (let sent = 0; sent < MESSAGES; sent += items.length) await gone.batch(items);
  await gone.enqueue("queue", destination, { "Svc-Retries": "0", "Svc-Deduplication-Id": "one" });
  await gone.deadLettersUntil(1);
  await gone.trigger(destination, later);
  await gone.addEndpoints("group", destination);
  const schedule = { headers: { "Svc-Cron": "0 0 1 1 *" } };
  assert.equal((await gone.call("POST", `/v2/schedules/${destination}`, schedule)).status, 200);
  return { gone, other };
}

async function deleteAccount(url: string, { id, record }: FreshAccount): Promise<void> {
  const confirm = encodeURIComponent(String(record["customer_id"]));
  const answer = await callConsole(url, "DELETE", `/v2/svc/user/${id}?confirm=${confirm}`, {
    as: OPERATOR,
  });
  assert.equal(answer.status, 200, answer.text);
}

/** The tables that have rows of it. */
async function leftOf(select: Select, { id }: FreshAccount): Promise<string[]> {
  const counts = ["accounts", ...ACCOUNT_TABLES].map(
    (table) => `(SELECT count(*) FROM ${table} WHERE account_id = '${id}') AS ${table}`,
  );
  const [row = {}] = await select(`SELECT ${counts.join(", ")}`);
  return Object.keys(row).filter((table) => Number(row[table]) > 0);
}

async function requireNothing(
  select: Select,
  gone: FreshAccount,
  other: FreshAccount,
  url: string,
): Promise<void> {
  await until(async () => (await leftOf(select, gone)).length === 0, "nothing to be left");
  assert.equal(await gone.status("GET", "/v2/logs"), 401);
  assert.equal((await leftOf(select, other)).includes("messages"), true);
  const anew = {
    as: OPERATOR,
    send: { customer_id: gone.record["customer_id"], plan_name: "paid" },
  };
  assert.equal((await callConsole(url, "POST", "/v2/svc/user", anew)).status, 201);
}
