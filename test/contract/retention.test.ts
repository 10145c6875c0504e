/** A round of the janitor, over accounts that keep things for different times. */
import assert from "node:assert/strict";
import type { LimitOverrides } from "../../src/core/model/account/account.ts";
import { dayOf } from "../../src/core/model/account/stats.ts";
import { sweepRound } from "../../src/engine/upkeep/sweep-round.ts";
import { anAccount } from "../support/messages.ts";
import { contract, type Scene } from "./scene.ts";

const HOUR_MS = 3_600_000;

contract("retention", (promise) => {
  promise("each account keeps its messages and dead letters for its own time", async (scene) => {
    await add(scene, "short", { logRetentionMs: HOUR_MS, deadLetterRetentionMs: 2 * HOUR_MS });
    await add(scene, "long", { logRetentionMs: 5 * HOUR_MS, deadLetterRetentionMs: HOUR_MS });
    for (const accountId of ["short", "long"]) {
      await scene.publish("delivered", { accountId });
      await scene.deliver(await scene.claimOne());
      await scene.bury("dead", { accountId });
    }
    const left = async () => ({
      short: await phases(scene, "short"),
      long: await phases(scene, "long"),
    });
    const both = { delivered: "DELIVERED", dead: "FAILED" };

    scene.clock.advance(HOUR_MS);
    await round(scene);
    assert.deepEqual(await left(), {
      short: { ...both, letters: 1 },
      long: { ...both, letters: 1 },
    });
    scene.clock.advance(1);
    await round(scene);
    assert.deepEqual(await left(), {
      short: { delivered: null, dead: "FAILED", letters: 1 },
      long: { ...both, letters: 0 },
    });
    scene.clock.advance(HOUR_MS);
    await round(scene);
    assert.deepEqual(await left(), {
      short: { delivered: null, dead: null, letters: 0 },
      long: { ...both, letters: 0 },
    });
    scene.clock.advance(5 * HOUR_MS);
    await round(scene);
    assert.deepEqual(await left(), {
      short: { delivered: null, dead: null, letters: 0 },
      long: { delivered: null, dead: null, letters: 0 },
    });
  });

  promise(
    "past its number of dead letters an account loses the oldest, recorded",
    async (scene) => {
      await add(scene, "few", { deadLettersMax: 3 });
      await add(scene, "none", { deadLettersMax: 0 });
      await add(scene, "many", { deadLettersMax: null });
      for (const accountId of ["few", "none", "many"]) {
        for (const id of ["a", "b", "c", "d", "e"]) {
          await scene.bury(id, { accountId });
          scene.clock.advance(1);
        }
      }
      const ids = async (accountId: string) =>
        (await scene.deadLetters(accountId)).map(({ deadLetter }) => deadLetter.messageId);
      const logged = await round(scene);
      assert.deepEqual(await ids("few"), ["c", "d", "e"]);
      assert.deepEqual(await ids("none"), []);
      assert.deepEqual(await ids("many"), ["a", "b", "c", "d", "e"]);
      assert.deepEqual(logged, [
        { accountId: "few", dropped: 2 },
        { accountId: "none", dropped: 5 },
      ]);
      const [today] = await scene.store.reader.accounts.dailyCounts("few", dayOf(scene.now));
      assert.equal(today?.dropped, 2);
      assert.deepEqual(await round(scene), []);
    },
  );

  promise(
    "letters that died in the same instant are told apart by their numbers",
    async (scene) => {
      await add(scene, "few", { deadLettersMax: 2 });
      for (const id of ["a", "b", "c"]) await scene.bury(id, { accountId: "few" });
      await round(scene);
      const ids = (await scene.deadLetters("few")).map(({ deadLetter }) => deadLetter.messageId);
      assert.deepEqual(ids, ["b", "c"]);
    },
  );

  promise("a round goes through more accounts than one question names", async (scene) => {
    const names = Array.from({ length: 401 }, (_, index) => `account-${1_000 + index}`);
    for (const accountId of names) await add(scene, accountId, { logRetentionMs: HOUR_MS });
    const some = [names[0]!, names[199]!, names[200]!, names[400]!];
    for (const accountId of some) {
      await scene.publish("old", { accountId });
      await scene.deliver(await scene.claimOne());
    }
    scene.clock.advance(HOUR_MS + 1);
    await round(scene);
    for (const accountId of some) assert.equal(await scene.phase("old", accountId), null);
  });
});

function add(scene: Scene, accountId: string, overrides: LimitOverrides): Promise<string> {
  return scene.act({ rule: "add-account", account: anAccount({ accountId, overrides }) });
}

/** Runs a whole round, and answers what it told those who run the service. */
async function round({ store, clock }: Scene): Promise<unknown[]> {
  const logged: unknown[] = [];
  const log = {
    info: fail,
    error: fail,
    warn: (_: string, fields?: object) => logged.push(fields),
  };
  const sizes = { bytesMax: 1, storedBytesMax: 1, logBytesMax: Number.MAX_SAFE_INTEGER };
  const limits = { slots: 1, slotsPerHost: 1, ...sizes };
  const cursors = new Map<string, string>();
  for await (const _ of sweepRound({ store, clock, log, limits, cursors })) continue;
  return logged;
}

function fail(event: string): never {
  throw new Error(event);
}

async function phases(scene: Scene, accountId: string) {
  return {
    delivered: await scene.phase("delivered", accountId),
    dead: await scene.phase("dead", accountId),
    letters: (await scene.deadLetters(accountId)).length,
  };
}
