/** Moves that something comes between: another move, a cancel, a lost connection, a target that lies. */
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { after, describe, test } from "node:test";
import { moveStore } from "../../src/store/move/move.ts";
import type { MoveSource, MoveTarget } from "../../src/store/move/move-ends.ts";
import { until } from "../support/eventually.ts";
import { postgresMissing, postgresUrl } from "../support/postgres-url.ts";
import { postgresDigests, sqliteDigests } from "../support/store-digests.ts";
import {
  beforeWrite,
  bound,
  filled,
  inPostgres,
  newDatabase,
  newFilled,
  newPath,
  optionsFor,
  postgresSource,
  postgresTarget,
  removeAll,
  sqliteSource,
  sqliteTarget,
  toPostgres,
  toSqlite,
} from "./moved-stores.ts";

/** Moves a filled file to `url` with a target that `change` has made another. */
async function moveTo(
  url: string,
  path: string,
  change: (target: MoveTarget) => Partial<MoveTarget>,
): Promise<void> {
  const source = sqliteSource(path);
  const target = await postgresTarget(url);
  try {
    await moveStore(source, { ...bound(target), ...change(target) }, optionsFor("there"));
  } finally {
    await source.release();
    await target.release();
  }
}

/** Stores to move from, and new empty ones to move to. */
const KINDS = [
  {
    name: "SQLite",
    make: async () => {
      const path = await newFilled();
      return async (): Promise<MoveSource> => sqliteSource(path);
    },
    newTarget: async (): Promise<MoveTarget> => postgresTarget((await newDatabase()).url),
  },
  {
    name: "PostgreSQL",
    make: async () => {
      const { url } = await newDatabase();
      await toPostgres(await newFilled(), url);
      return (): Promise<MoveSource> => postgresSource(url);
    },
    newTarget: async (): Promise<MoveTarget> => sqliteTarget(newPath()),
  },
] as const;

describe("moves with faults", { skip: postgresMissing() }, () => {
  after(async () => {
    await removeAll();
  });

  test("what the target keeps otherwise is noticed before it is committed", async () => {
    const path = await newFilled();
    const lies: readonly [lie: string, says: RegExp][] = [
      ["NEW.created_at := NEW.created_at + 1; RETURN NEW", /created_at of the row .* of facts/],
      ["RETURN NULL", /the row .* of facts is missing/],
    ];
    const { url } = await newDatabase();
    for (const [lie, says] of lies) {
      const spoil = `CREATE OR REPLACE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN ${lie}; END $$;
        CREATE OR REPLACE TRIGGER spoil BEFORE INSERT ON facts FOR EACH ROW EXECUTE FUNCTION spoil()`;
      const take = async (target: MoveTarget): Promise<void> => {
        await inPostgres(url, spoil);
        await target.take();
      };
      const moving = moveTo(url, path, (target) => ({ take: () => take(target) }));
      await assert.rejects(moving, says);
    }
    assert.deepEqual(await inPostgres(url, "SELECT 1 FROM facts"), []);
  });

  test("rows that are gone from the target are noticed before the nodes stand still", async () => {
    const [path, { url }] = [await newFilled(), await newDatabase()];
    const moving = moveTo(url, path, (target) => ({
      counts: async (tables) => {
        await inPostgres(url, "DELETE FROM facts WHERE message_id = 'delayed'");
        return target.counts(tables);
      },
      complete: () => assert.fail("it went on"),
    }));
    await assert.rejects(moving, /facts has \d+ rows where \d+ were/);
  });

  test("a second process goes on with a move, and the first one is told", async () => {
    const [path, { url }] = [await newFilled(), await newDatabase()];
    const before = sqliteDigests(path);
    const first = moveTo(url, path, (target) =>
      beforeWrite(target, 3, () => toPostgres(path, url)),
    );
    await assert.rejects(first, /another postrider move has gone on with this one/);
    assert.deepEqual(await postgresDigests(url), before);
  });

  test("connections that the target ends are opened again", async () => {
    const [path, { url }] = [await newFilled(), await newDatabase()];
    const before = sqliteDigests(path);
    await moveTo(url, path, (target) => beforeWrite(target, 3, () => endConnections(url)));
    assert.deepEqual(await postgresDigests(url), before);
  });

  test("a target that takes no writes any more stops a move, which goes on later", async () => {
    const [path, { url }] = [await newFilled(), await newDatabase()];
    const before = sqliteDigests(path);
    const setReadOnly = async (value: "on" | "off"): Promise<void> => {
      const name = new URL(url).pathname.slice(1);
      const sql = `ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`;
      await inPostgres(await postgresUrl(), sql);
      await endConnections(url);
    };
    const moving = moveTo(url, path, (target) => beforeWrite(target, 3, () => setReadOnly("on")));
    await assert.rejects(moving, { code: "25006" });
    await setReadOnly("off");
    await toPostgres(path, url);
    assert.deepEqual(await postgresDigests(url), before);
  });

  test("a snapshot of PostgreSQL that is lost is not taken again without its lock", async () => {
    const [path, { url }] = [newPath(), await newDatabase()];
    await toPostgres(await newFilled(), url);
    const before = await postgresDigests(url);
    const source = await postgresSource(url);
    const target = sqliteTarget(path);
    const moving = moveStore(
      source,
      beforeWrite(target, 3, () => endConnections(url)),
      optionsFor("here"),
    );
    await assert.rejects(moving, /the connection to PostgreSQL was lost/);
    await source.release();
    await target.release();
    await toSqlite(url, path);
    assert.deepEqual(sqliteDigests(path), before);
  });

  for (const { name, make, newTarget } of KINDS) {
    test(`a move from ${name} that is canceled while it runs does not end`, async () => {
      const openSource = await make();
      let canceling: Promise<void> = Promise.resolve();
      /** Resolves once it has begun: on PostgreSQL it waits for what the move reads. */
      const cancel = async (): Promise<void> => {
        const other = await openSource();
        const before = await other.mark();
        canceling = other.cancel();
        await until(async () => (await other.mark())?.id !== before?.id, "it is canceled");
        canceling = endCancel(other, canceling);
      };
      const canceledAsQuiet = async (): Promise<boolean> => {
        await cancel();
        return true;
      };
      const stages = [
        (source: MoveSource, target: MoveTarget) =>
          moveStore(source, beforeWrite(target, 3, cancel), OPTIONS),
        (source: MoveSource, target: MoveTarget) =>
          moveStore(Object.assign(source, { isQuiet: canceledAsQuiet }), target, OPTIONS),
      ];
      for (const stage of stages) {
        const [source, target] = [await openSource(), await newTarget()];
        await assert.rejects(stage(source, target), /this move was canceled/);
        await canceling;
        for (const end of [source, target]) await end.release();
      }
      const [source, other, target] = [await openSource(), await openSource(), await newTarget()];
      const rename = async (): Promise<null> => {
        await assert.rejects(other.cancel(), /the data was moved to there/);
        return null;
      };
      await moveStore(Object.assign(source, { rename }), target, OPTIONS);
      for (const end of [source, other, target]) await end.release();
    });

    test(`of two moves from ${name} the later is refused`, async () => {
      const openSource = await make();
      const [source, other] = [await openSource(), await openSource()];
      const mark = { id: "one", to: "there", standStill: null, isMoved: false };
      await source.begin(mark, []);
      await assert.rejects(other.begin({ ...mark, id: "other" }, []), /a move to there has begun/);
      await assert.rejects(
        other.close(() => assert.fail("it closes")),
        /this move was canceled/,
      );
      assert.equal((await source.mark())?.id, "one");
      for (const end of [source, other]) await end.release();
    });
  }

  test("a schema with the longest name is moved from and to", async () => {
    const long = "order".padEnd(63, "_name");
    const [path, { url }] = [await newFilled(), await newDatabase()];
    const before = sqliteDigests(path);
    await toPostgres(path, url, long);
    const again = newPath();
    const { renamedTo } = await toSqlite(url, again, long);
    assert.match(renamedTo ?? "", /^order_name.*_moved_\d{14}$/);
    const kept = `SELECT to_regnamespace('${renamedTo}') IS NOT NULL AS is_there`;
    assert.deepEqual(await inPostgres(url, kept), [{ is_there: true }]);
    assert.deepEqual(sqliteDigests(again), before);
  });

  test("the log of a file does not grow as long as it is read", async () => {
    const path = newPath();
    await filled(path, async (scene) => {
      const source = sqliteSource(path);
      await source.begin({ id: "one", to: "there", standStill: null, isMoved: false }, []);
      const body = new Uint8Array(1_000_000);
      for (let round = 0; round < 12; round++) {
        await source.snapshot(() => scene.publish(`round-${round}`, { accountId: "first", body }));
      }
      await source.release();
      const { size } = statSync(`${path}-wal`);
      assert.ok(size < 8_000_000, `${size} bytes`);
    });
  });

  test("an account that is deleted meanwhile is not at the target", async () => {
    const [path, { url }] = [newPath(), await newDatabase()];
    await filled(path, async (scene) => {
      await scene.act({ rule: "delete-account", at: scene.now, accountId: "first" });
      const request = { accountId: "first", pageMax: 3, isLast: true };
      const removePage = () => scene.store.removeAccount(request);
      let isRemoved = false;
      const removing = (target: MoveTarget) => ({
        write: async (...given: Parameters<MoveTarget["write"]>) => {
          if (!isRemoved) await removePage();
          await target.write(...given);
        },
        counts: async (tables: Parameters<MoveTarget["counts"]>[0]) => {
          const found = await target.counts(tables);
          while (!isRemoved) isRemoved = (await removePage()).left === "nothing";
          return found;
        },
      });
      const source = sqliteSource(path);
      const target = await postgresTarget(url);
      // The store is open here and takes the place of the old server.
      const still = Object.assign(source, { rename: noName });
      await moveStore(still, { ...bound(target), ...removing(target) }, OPTIONS);
      for (const end of [source, target]) await end.release();
    });
    assert.deepEqual(await postgresDigests(url), sqliteDigests(path));
    assert.deepEqual(await inPostgres(url, "SELECT 1 FROM facts WHERE account_id = 'first'"), []);
    assert.deepEqual(await inPostgres(url, "SELECT account_id FROM accounts"), [
      { account_id: "second" },
    ]);
  });
});

const OPTIONS = optionsFor("there");

async function noName(): Promise<null> {
  return null;
}

async function endCancel(source: MoveSource, canceling: Promise<void>): Promise<void> {
  await canceling;
  assert.equal(await source.mark(), null);
  await source.release();
}

/** Ends all connections of a database but its own. */
async function endConnections(url: string): Promise<void> {
  await inPostgres(
    url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
}
