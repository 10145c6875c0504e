/** An account that is being deleted goes page by page, with all that it has and nothing else. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ACCOUNT_TABLES } from "../../src/store/upkeep/remove-account.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { aLeasedMessage, anAccount, aPublish, aSettlement, START_AT } from "../support/messages.ts";
import { aNotify } from "../support/runs.ts";
import { type OpenStore, STORES } from "../support/stores.ts";
import { fillAccount } from "./full-account.ts";
import { contract, Scene } from "./scene.ts";

const PAGE_MAX = 2;

async function markFull(scene: Scene): Promise<void> {
  await fillAccount(scene, "gone", 1);
  await fillAccount(scene, "other", 1);
  // A message with a deduplication key, and an event that came before its wait.
  const deduplication = { key: "key", expiresAt: scene.now + 1_000_000 };
  await scene.act(
    aPublish(scene.now, scene.item("keyed-once", { accountId: "gone" }, deduplication)),
  );
  const refs = [{ accountId: "gone", runId: "run" }];
  await scene.act(aNotify(scene.now, "later", { refs }));
  // SQLite counts days a second later.
  scene.clock.advance(2_000);
  await scene.store.beat("node");
  await scene.act({ rule: "delete-account", at: scene.now, accountId: "gone" });
}

/** Removes pages until nothing is left, at most so many. */
async function removeAll({ store }: Scene, isLast = true): Promise<number> {
  let removed = 0;
  for (let pages = 0; pages < 1_000; pages++) {
    const request = { accountId: "gone", pageMax: PAGE_MAX, isLast };
    const page = await store.removeAccount(request);
    // On SQLite a page of the log takes the facts of its messages with it.
    assert.ok(page.removed <= 2 * PAGE_MAX, String(page.removed));
    removed += page.removed;
    if (page.left !== "more") {
      assert.equal(page.left, isLast ? "nothing" : "account");
      return removed;
    }
    assert.ok(page.removed > 0);
  }
  return assert.fail("there is always more");
}

for (const kind of STORES.filter(({ name }) => name !== "SQLite in memory")) {
  describe(`removing an account: ${kind.name}`, () => {
    const title = "nothing of it is left in any table, and other accounts keep every row";
    test(title, { skip: kind.skip }, async () => {
      const clock = new ManualClock(START_AT);
      const opened = await kind.open(clock);
      try {
        const scene = new Scene(opened.store, clock);
        await markFull(scene);
        const before = await rowsByTable(opened);
        const filled = [...before].filter(([, rows]) => rows.some(isGone)).map(([name]) => name);
        assert.deepEqual(filled.toSorted(), ["accounts", ...ACCOUNT_TABLES].toSorted());
        await removeAll(scene);
        const after = await rowsByTable(opened);
        for (const [name, rows] of after) {
          assert.deepEqual(rows.filter(isGone), [], name);
          if (name === "sequences") continue;
          const others = before.get(name)!.filter((row) => !isGone(row));
          assert.deepEqual(rows.toSorted(), others.toSorted(), name);
        }
      } finally {
        await opened.close();
      }
    });
  });
}

/** Every row of every table as text, so that an id is found wherever it stands. */
async function rowsByTable({ select }: OpenStore): Promise<Map<string, string[]>> {
  const tables = await select!(TABLES).catch(() => select!(POSTGRES_TABLES));
  const rows = new Map<string, string[]>();
  for (const { name } of tables) {
    const found = await select!(`SELECT * FROM ${String(name)}`);
    rows.set(String(name), found.map(textOf));
  }
  return rows;
}

const TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
const POSTGRES_TABLES =
  "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()";

const textOf = (row: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(Object.values(row).map(textOfValue));

const textOfValue = (value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toString() : value;

const isGone = (row: string): boolean => row.includes("gone");

contract("deleting an account", (promise) => {
  promise(
    "the account stays until it is the last to go, and then its name is free",
    async (scene) => {
      await markFull(scene);
      assert.equal((await removeAll(scene, false)) > 0, true);
      const { accounts } = scene.store.reader;
      assert.equal((await accounts.get("gone"))?.deletingSince, scene.now);
      const account = anAccount({ accountId: "new", customerId: "gone@example.com" });
      assert.equal(await scene.act({ rule: "add-account", account }), "customer-exists");
      assert.equal(await removeAll(scene), 1);
      assert.equal(await accounts.get("gone"), null);
      assert.equal(await scene.act({ rule: "add-account", account }), "added");
      const nothing = { removed: 0, left: "nothing" };
      const again = { accountId: "gone", pageMax: PAGE_MAX, isLast: true };
      assert.deepEqual(await scene.store.removeAccount(again), nothing);
    },
  );

  promise("several may remove it at once", async (scene) => {
    await markFull(scene);
    await Promise.all([removeAny(scene), removeAny(scene), removeAny(scene)]);
    assert.equal(await scene.store.reader.accounts.get("gone"), null);
    assert.equal((await scene.store.reader.accounts.contents("gone")).logEntries, 0);
    assert.ok((await scene.store.reader.accounts.contents("other")).logEntries > 0);
  });

  promise("an account that is not marked is left alone", async (scene) => {
    await fillAccount(scene, "kept", 1);
    const before = await scene.store.reader.accounts.contents("kept");
    const request = { accountId: "kept", pageMax: 100, isLast: true };
    const message = "the account is not being deleted";
    await assert.rejects(scene.store.removeAccount(request), { message });
    assert.deepEqual(await scene.store.reader.accounts.contents("kept"), before);
  });

  promise("what is counted is what goes", async (scene) => {
    await markFull(scene);
    const { messages, logEntries, ...counts } = await scene.store.reader.accounts.contents("gone");
    assert.deepEqual(counts, {
      queues: 2,
      urlGroups: 2,
      schedules: 2,
      deadLetters: 3,
      runs: 4,
      flowControlKeys: 1,
    });
    assert.ok(messages > 10 && logEntries > messages, `${messages} ${logEntries}`);
    await removeAll(scene, false);
    const left = Object.values(await scene.store.reader.accounts.contents("gone"));
    assert.deepEqual(new Set(left), new Set([0]));
  });

  promise("a message that is under way settles into nothing", async (scene) => {
    await markFull(scene);
    await removeAll(scene, false);
    const leased = aLeasedMessage({ accountId: "gone", messageId: "sending" });
    const ending = { at: scene.now, verdict: { kind: "delivered" } } as const;
    assert.equal(await scene.act(aSettlement(leased, ending)), "stale");
    assert.equal(await removeAll(scene), 1);
  });

  promise("nothing of it is leased, and it cannot be changed or marked anew", async (scene) => {
    await scene.addAccount("gone");
    await scene.publish("waiting", { accountId: "gone", delayMs: 10 });
    const since = scene.now;
    const mark = () => scene.act({ rule: "delete-account", at: scene.now, accountId: "gone" });
    assert.equal((await mark())?.isHalted, true);
    scene.clock.advance(1_000);
    assert.deepEqual(await scene.claim(), []);
    const fields = { isSuspended: false };
    const base = { rule: "change-account", at: scene.now, accountId: "gone" } as const;
    for (const account of [await mark(), await scene.act({ ...base, fields })]) {
      assert.deepEqual([account?.deletingSince, account?.isSuspended], [since, true]);
    }
    assert.deepEqual(await scene.claim(), []);
    assert.equal(await scene.act({ ...base, rule: "delete-account", accountId: "nobody" }), null);
  });
});

/** Removes pages beside others that do the same. */
async function removeAny({ store }: Scene): Promise<void> {
  const request = { accountId: "gone", pageMax: PAGE_MAX, isLast: true };
  while ((await store.removeAccount(request)).left !== "nothing") continue;
}
