/** Accounts share the slots of claims, whatever the number of their hosts. */
import assert from "node:assert/strict";

import { contract, type Scene } from "./scene.ts";

contract("turns of accounts", (promise) => {
  promise("of one slot at a time each account has its part", async (scene) => {
    await fillBusy(scene);
    await publishQuiet(scene, 3);
    const served: string[] = [];
    for (let turn = 0; turn < 6; turn++) served.push(...(await claimAccounts(scene, 1)));
    assert.equal(served.length, 6);
    assert.equal(served.filter((accountId) => accountId === "quiet").length, 3);
  });

  promise("an account with one host has half of the slots beside one with many", async (scene) => {
    await fillBusy(scene);
    await publishQuiet(scene, 20);
    const served = await claimAccounts(scene, 16);
    assert.equal(served.filter((accountId) => accountId === "quiet").length, 8);
    assert.equal(served.length, 16);
  });

  promise("what an account leaves goes to the others", async (scene) => {
    await fillBusy(scene);
    for (let turn = 0; turn < 4; turn++) {
      await publishQuiet(scene, 2, turn);
      assert.equal((await claimAccounts(scene, 16)).length, 16);
    }
  });

  promise("behind very many lines to full hosts another account is served", async (scene) => {
    await fillBusy(scene, 300);
    await publishQuiet(scene, 2);
    const fullHosts = Array.from({ length: 300 }, (_, index) => `host-${index}.test`);
    const leased = await scene.claim({ slots: 16, fullHosts });
    assert.deepEqual(
      leased.map(({ lease }) => lease.accountId),
      ["quiet", "quiet"],
    );
  });

  promise("a claim says for which accounts messages were due", async (scene) => {
    assert.deepEqual((await scene.claimed()).accountsDue, []);
    await publishQuiet(scene, 2);
    assert.deepEqual((await scene.claimed({ slots: 1 })).accountsDue, ["quiet"]);
    await fillBusy(scene);
    // It asks the accounts after the last one served; the next claim begins anew.
    assert.equal((await scene.claimed({ slots: 1 })).accountsDue, null);
    await publishQuiet(scene, 2, 1);
    const { accountsDue } = await scene.claimed({ slots: 1 });
    assert.deepEqual(accountsDue?.toSorted(), ["busy", "quiet"]);
    for (let index = 0; index < 70; index++) {
      await scene.publish(`late-${index}`, { accountId: `late-${index}` });
    }
    assert.equal((await scene.claimed({ slots: 1 })).accountsDue, null);
  });
});

/** So many hosts that a claim does not list all of them. */
async function fillBusy(scene: Scene, hosts = 140): Promise<void> {
  for (let index = 0; index < hosts; index++) {
    const url = `https://host-${index}.test/`;
    await scene.publish(`busy-${index}`, { url, accountId: "busy" });
  }
}

function publishQuiet(scene: Scene, count: number, turn = 0): Promise<unknown> {
  const ids = Array.from({ length: count }, (_, index) => `quiet-${turn}-${index}`);
  return scene.publishAll(ids, { url: "https://quiet.test/", accountId: "quiet" });
}

async function claimAccounts(scene: Scene, slots: number): Promise<string[]> {
  return (await scene.claim({ slots })).map(({ lease }) => lease.accountId);
}
