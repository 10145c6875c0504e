/** The secret key of several nodes is rotated, while they are started anew one after another. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/platform/clock.ts";
import { createIds } from "../../src/platform/ids.ts";
import { createSecretBox } from "../../src/platform/secret-box.ts";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { AccountCalls, type Item } from "../support/account-calls.ts";
import { isWrittenIn } from "../support/canaries.ts";
import { Command, LISTENING } from "../support/command.ts";
import { freshAccount } from "../support/console-call.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { until } from "../support/eventually.ts";
import { anAccount } from "../support/messages.ts";
import { freshDatabase, postgresMissing, withClient } from "../support/postgres-url.ts";
import { requireSigned, run } from "../support/secret-rotation.ts";
import { DEV_TOKEN, TestService } from "../support/service-harness.ts";

const [FIRST, SECOND, THIRD] = ["first", "second", "third"].map(
  (name) => `canary-${name}-secret-key-Zq7Xw`,
) as [string, string, string];

test(
  "on PostgreSQL, node by node, with the command killed in the middle",
  { skip: postgresMissing() },
  async (t) => {
    const database = await freshDatabase();
    const { url: databaseUrl } = database;
    const nodes: TestService[] = [];
    let started = 0;
    t.after(async () => {
      await Promise.all(nodes.map((node) => node.stop()));
      await database.drop();
    });
    const destination = await DestinationServer.startFor(t);
    const start = async (secretKey: string, previousSecretKey?: string): Promise<TestService> => {
      const previous = previousSecretKey === undefined ? {} : { previousSecretKey };
      const flags = { databaseUrl, secretKey, nodeName: `node-${(started += 1)}`, ...previous };
      const node = await TestService.start({ flags });
      nodes.push(node);
      return node;
    };
    const outputs: (() => string)[] = [];
    const rotate = (next: string, previous?: string) =>
      run(["secret", "rotate", "--database-url", databaseUrl], outputs, {
        POSTRIDER_SECRET_KEY: next,
        ...(previous === undefined ? {} : { POSTRIDER_PREVIOUS_SECRET_KEY: previous }),
      });
    const record = async (): Promise<string> =>
      withClient(databaseUrl, async (client) =>
        String((await client.query<Item>(SERVICE_SQL)).rows[0]!["record"]),
      );
    const [one, two] = await Promise.all([start(FIRST), start(FIRST)]);
    const signingKeys = await one.get("/v2/keys");

    const alone = await rotate(FIRST);
    assert.deepEqual([alone.code, /there is no new secret key/.test(alone.errors)], [1, true]);
    const early = await rotate(SECOND, FIRST);
    for (const name of ["node-1", "node-2", "POSTRIDER_PREVIOUS_SECRET_KEY"]) {
      assert.match(early.errors, new RegExp(`these nodes .*${name}`));
    }
    assert.ok(!(await record()).includes("secretKey"));

    // A node that has both encrypts with the key that all of them have.
    await one.stop();
    const three = await start(SECOND, FIRST);
    const account = await freshAccount(three.url);
    const path = "/v2/logs?count=1";
    await requireSigned(asOf(two, account.token), destination, await account.get("/v2/keys"));
    const [ofOld, ofNew] = [await account.get(path), await asOf(two, account.token).get(path)];
    await asOf(three, account.token).get(`${path}&cursor=${String(ofNew["cursor"])}`);
    await asOf(two, account.token).get(`${path}&cursor=${String(ofOld["cursor"])}`);
    const half = await rotate(SECOND, FIRST);
    assert.match(half.errors, /these nodes do not have both secret keys: node-2 \(\w+\);/);
    await two.stop();
    const four = await start(SECOND, FIRST);

    // One step, and the caller is gone. Nodes go on with both keys, and what is new gets the new one.
    const begun = await three.console("POST", "/v2/svc/secret-key", { send: {} });
    assert.equal(begun.json["done"], false);
    await requireSigned(four, destination, signingKeys);
    const late = await freshAccount(four.url);
    await requireSigned(asOf(three, late.token), destination, await late.get("/v2/keys"));
    await asOf(three, late.token).post("/v2/keys/rotate", {});
    await assert.rejects(start(FIRST), /they need the one with the id/);
    await assert.rejects(start(SECOND), /--previous-secret-key until/);
    await assert.rejects(start(THIRD, SECOND), /--previous-secret-key until/);

    const done = await rotate(SECOND, FIRST);
    assert.equal(done.code, 0, done.errors);
    assert.match(done.output, /Now remove POSTRIDER_PREVIOUS_SECRET_KEY/);
    const again = await rotate(SECOND, FIRST);
    assert.match(again.output, /of 0 accounts were encrypted again/);
    await assert.rejects(start(FIRST), /they need the one with the id/);
    const five = await start(SECOND);
    await until(
      async () => (await asOf(four, late.token).get(path))["cursor"] !== undefined,
      "a list with a next page",
    );
    const cursor = String((await asOf(four, late.token).get(path))["cursor"]);
    await asOf(five, late.token).get(`${path}&cursor=${cursor}`);
    await Promise.all([three.stop(), four.stop()]);
    await requireSigned(asOf(five, DEV_TOKEN), destination, signingKeys);
    await requireSigned(
      asOf(five, late.token),
      destination,
      await asOf(five, late.token).get("/v2/keys"),
    );

    // A node that missed it all, as after a restored database, says so and ends.
    await withClient(databaseUrl, (client) =>
      client.query(
        `UPDATE postrider.service SET record = jsonb_set(record::jsonb, '{secretKey}', '{"keyId":"00"}')`,
      ),
    );
    await until(
      () => five.logged.some((line) => line.includes("they need the one with the id 00")),
      "the node to notice",
    );
    const all = [...outputs.map((output) => output()), ...nodes.flatMap(({ logged }) => logged)];
    for (const secret of [FIRST, SECOND, THIRD]) {
      assert.ok(!all.some((text) => isWrittenIn(text, secret)));
    }
  },
);

test(
  "on PostgreSQL, with a node and the command killed in the middle of a page",
  { skip: postgresMissing() },
  async (t) => {
    const database = await freshDatabase();
    const { url: databaseUrl } = database;
    const commands: Command[] = [];
    let store: PostgresStore | undefined;
    t.after(async () => {
      await Promise.all(commands.map((command) => killed(command)));
      await store?.close();
      await database.drop();
    });
    const destination = await DestinationServer.startFor(t);
    const start = (words: readonly string[], keys: object): Command => {
      const environment = { POSTRIDER_TOKEN: TOKEN, POSTRIDER_DATABASE_URL: databaseUrl };
      const command = new Command(words, { ...environment, ...keys });
      commands.push(command);
      return command;
    };
    const serve = async (keys: object): Promise<[Command, AccountCalls]> => {
      const node = start(["serve", ...LISTENING, "--egress-allow", "127.0.0.0/8"], keys);
      return [node, new AccountCalls(await node.url(), TOKEN)];
    };
    const before = { POSTRIDER_SECRET_KEY: FIRST };
    const both = { POSTRIDER_SECRET_KEY: SECOND, POSTRIDER_PREVIOUS_SECRET_KEY: FIRST };
    let [node, calls] = await serve(before);
    const signingKeys = await calls.get("/v2/keys");
    await node.stop();
    store = await PostgresStore.open({ url: databaseUrl, schema: "postrider", clock: systemClock });
    await fill(store);
    assert.deepEqual(await encryptedBy(store), { [FIRST]: ACCOUNTS + 1 });

    [node, calls] = await serve(both);
    // The second page waits for a row of its own, and has not been written when both processes die.
    await withClient(databaseUrl, async (client) => {
      await client.query("BEGIN");
      await client.query("SELECT FROM postrider.accounts WHERE account_id = $1 FOR UPDATE", [LAST]);
      const rotating = start(["secret", "rotate"], both);
      await until(() => isWaiting(databaseUrl), "the second page waits for its last account");
      for (const process of [rotating, node]) assert.equal(await killed(process), "SIGKILL");
    });
    const half = await encryptedBy(store);
    assert.ok(half[FIRST]! > 0 && half[SECOND]! >= PAGE, JSON.stringify(half));

    const refused = start(["serve", ...LISTENING], before);
    assert.equal(await refused.refuses(), 1);
    assert.match(refused.errors, /they need the one with the id/);
    [node, calls] = await serve(both);
    await requireSigned(calls, destination, signingKeys);
    const rotated = start(["secret", "rotate", "--json"], both);
    assert.equal(await rotated.ends(), 0, rotated.errors);
    assert.equal((JSON.parse(rotated.output) as Item)["accounts"], half[FIRST]);
    assert.deepEqual(await encryptedBy(store), { [SECOND]: ACCOUNTS + 1 });
    await killed(node);
    [node, calls] = await serve({ POSTRIDER_SECRET_KEY: SECOND });
    assert.deepEqual(await calls.get("/v2/keys"), signingKeys);
    await requireSigned(calls, destination, signingKeys);
    for (const secret of [FIRST, SECOND]) {
      assert.ok(!commands.some(({ output, errors }) => isWrittenIn(output + errors, secret)));
    }
  },
);

function killed(command: Command): Promise<number | NodeJS.Signals | null> {
  command.signal("SIGKILL");
  return command.ends();
}

/** Whether a transaction waits for another one. Within a transaction the answer would stay the same. */
async function isWaiting(databaseUrl: string): Promise<boolean> {
  const waiting = `SELECT FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND datname = current_database()`;
  return withClient(databaseUrl, async (client) => (await client.query(waiting)).rowCount !== 0);
}

/** Accounts of more than one page, whose signing keys the first secret key encrypts. */
async function fill(store: PostgresStore): Promise<void> {
  const box = createSecretBox(FIRST, createIds());
  const accountIds = Array.from({ length: ACCOUNTS - 1 }, (_, index) => `account-${index}`);
  await Promise.all(
    [...accountIds, LAST].map(async (accountId) => {
      const [current, next] = [box.seal("sig_a", accountId), box.seal("sig_b", accountId)];
      const account = anAccount({ accountId, signingKeys: { current, next } });
      await store.act({ rule: "add-account", account });
    }),
  );
}

/** How many accounts each secret key has encrypted; none with two keys. */
async function encryptedBy({ reader }: PostgresStore): Promise<Record<string, number>> {
  const boxes = [FIRST, SECOND].map((key) => ({ key, box: createSecretBox(key, createIds()) }));
  const counts: Record<string, number> = {};
  for (const { accountId, signingKeys } of await reader.accounts.list("", 2 * ACCOUNTS)) {
    const sealed = [signingKeys.current, signingKeys.next];
    const opening = boxes.filter(({ box }) =>
      sealed.every((text) => box.keyIdOf(text, accountId) !== null),
    );
    assert.equal(opening.length, 1, accountId);
    const [{ key }] = opening as [(typeof boxes)[number]];
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

const TOKEN = "token-of-a-rotating-node-0123456789";
const PAGE = 200;
const ACCOUNTS = PAGE + 50;
/** No account comes after it. */
const LAST = "zzz";
const SERVICE_SQL = "SELECT record FROM postrider.service";

function asOf(node: TestService, token: string): AccountCalls {
  return new AccountCalls(node.url, token);
}
