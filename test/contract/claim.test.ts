import assert from "node:assert/strict";

import { keyLine, queueLine } from "../../src/core/model/line/line.ts";
import { aMessage, bytes } from "../support/messages.ts";
import { contract, idsOf } from "./scene.ts";

const at = (host: string): { url: string } => ({ url: `https://${host}.test/` });

contract("claiming", (promise) => {
  promise("a message is leased once it is due, and once only", async (scene) => {
    await scene.publish("a", { delayMs: 100 });
    assert.deepEqual(await scene.claimed(), {
      leased: [],
      nextAt: scene.now + 100,
      linesPostponed: 0,
      accountsDue: [],
    });
    scene.clock.advance(99);
    assert.deepEqual(await scene.claimIds(), []);
    scene.clock.advance(1);
    assert.deepEqual(await scene.claimIds(), ["a"]);
    assert.deepEqual(await scene.claimIds(), []);
    assert.deepEqual(await scene.claimIds({ nodeId: "another" }), []);
  });

  promise("a lease carries all that is needed to send, and is logged", async (scene) => {
    await scene.publish("a", { ...at("one"), body: bytes("body") });
    scene.clock.advance(7);
    const leased = await scene.claimOne({ nodeId: "node" });
    assert.deepEqual(leased.lease, { accountId: "account", messageId: "a", fence: 1 });
    const times = { createdAt: scene.now - 7, notBefore: scene.now - 7 };
    assert.deepEqual(leased.message, aMessage({ messageId: "a", ...at("one"), ...times }));
    assert.deepEqual(Buffer.from(leased.body), Buffer.from("body"));
    assert.equal(leased.host, "one.test");
    assert.equal(leased.attempts, 0);
    const { phase, nodeId, leasedAt, fence } = (await scene.state("a")) ?? {};
    const expected = { phase: "active", nodeId: "node", leasedAt: scene.now, fence: 1 };
    assert.deepEqual({ phase, nodeId, leasedAt, fence }, expected);
    const entry = (await scene.entries("a")).at(-1);
    assert.deepEqual([entry?.state, entry?.at, entry?.attempt], ["ACTIVE", scene.now, 1]);
  });

  promise("a line gives its oldest first, and of equal ones the first by id", async (scene) => {
    await scene.publish("d", { delayMs: 30 });
    await scene.publish("c", { delayMs: 10 });
    await scene.publishAll(["b", "a"], { delayMs: 20 });
    scene.clock.advance(40);
    const order: string[] = [];
    for (let turn = 0; turn < 4; turn++) order.push(...(await scene.claimIds({ slots: 1 })));
    assert.deepEqual(order, ["c", "a", "b", "d"]);
  });

  promise("no more is leased than there are slots", async (scene) => {
    await scene.publishAll(["a", "b", "c"]);
    assert.deepEqual(await scene.claimIds({ slots: 0, retrySlots: 0 }), []);
    assert.deepEqual(await scene.claimIds({ slots: 2 }), ["a", "b"]);
    assert.deepEqual(await scene.claimIds({ slots: 2 }), ["c"]);
  });

  promise("bodies fit the byte budget, but one message is always allowed", async (scene) => {
    await scene.publishAll(["a", "b"], { body: bytes("x".repeat(60)) });
    assert.deepEqual(await scene.claimIds({ bytesMax: 100 }), ["a"]);
    scene.clock.advance(100);
    assert.deepEqual(await scene.claimIds({ bytesMax: 10 }), ["b"]);
  });

  promise("hosts that are full on this node are left out, also within a key", async (scene) => {
    await scene.publish("a", at("full"));
    await scene.publish("b", at("free"));
    const flowControl = { key: "key", periodMs: 1000 };
    await scene.publish("c", { ...at("full"), flowControl });
    await scene.publish("d", { ...at("free"), flowControl });
    const fullHosts = ["full.test"];
    assert.deepEqual((await scene.claimIds({ fullHosts })).toSorted(), ["b", "d"]);
    scene.clock.advance(100);
    assert.deepEqual((await scene.claimIds()).toSorted(), ["a", "c"]);
  });

  promise("lines share the slots evenly, and a lone line may have them all", async (scene) => {
    await scene.publishAll(["a1", "a2", "a3", "a4", "a5", "a6"], at("a"));
    await scene.publishAll(["b1", "b2", "b3", "b4", "b5", "b6"], at("b"));
    const first = await scene.claimIds({ slots: 6 });
    assert.deepEqual(first.toSorted(), ["a1", "a2", "a3", "b1", "b2", "b3"]);
    const rest = await scene.claimIds({ slots: 3, fullHosts: ["b.test"] });
    assert.deepEqual(rest, ["a4", "a5", "a6"]);
  });

  promise("what one line leaves goes to the others", async (scene) => {
    await scene.publish("a1", at("a"));
    await scene.publishAll(["b1", "b2", "b3", "b4", "b5"], at("b"));
    const ids = [...(await scene.claimIds({ slots: 6 })), ...(await scene.claimIds({ slots: 6 }))];
    assert.deepEqual(ids.toSorted(), ["a1", "b1", "b2", "b3", "b4", "b5"]);
  });

  promise("accounts take turns, however many lines one of them has", async (scene) => {
    for (let index = 0; index < 80; index++) {
      await scene.publish(`busy-${index}`, { ...at(`host-${index}`), accountId: "busy" });
    }
    await scene.publish("quiet", { ...at("quiet"), accountId: "quiet" });
    assert.ok((await scene.claimIds({ slots: 64 })).includes("quiet"));
  });

  promise("more accounts than one claim serves are all served by the next ones", async (scene) => {
    const accounts = Array.from({ length: 40 }, (_, index) => `account-${index}`);
    for (const accountId of accounts) {
      await scene.publishAll(
        ["a", "b", "c"].map((id) => `${accountId}-${id}`),
        { accountId },
      );
    }
    const served = new Set<string>();
    for (let turn = 0; turn < 4; turn++) {
      const leased = await scene.claim({ slots: 16 });
      assert.ok(leased.length > 0);
      for (const { lease } of leased) served.add(lease.accountId);
    }
    assert.deepEqual([...served].toSorted(), accounts.toSorted());
  });

  promise("an account never has more under way than its cap", async (scene) => {
    await scene.addAccount("account", 2);
    await scene.publishAll(["a", "b"], at("one"));
    await scene.publishAll(["c", "d"], at("two"));
    const leased = await scene.claim();
    assert.equal(leased.length, 2);
    scene.clock.advance(100);
    assert.deepEqual(await scene.claimIds(), []);
    await scene.deliver(leased[0]!);
    scene.clock.advance(100);
    assert.equal((await scene.claimIds()).length, 1);
    scene.clock.advance(100);
    assert.deepEqual(await scene.claimIds(), []);
  });

  promise(
    "what heads a queue goes once its account has room, however often it was seen",
    async (scene) => {
      await scene.addAccount("account", 1);
      for (const looks of [0, 1, 2, 3]) {
        await scene.publish(`plain-${looks}`, at("one"));
        const plain = await scene.claimOne();
        await scene.publish(`queued-${looks}`, { ...at("two"), queueName: "queue" });
        for (let look = 0; look < looks; look++) assert.deepEqual(await scene.claimIds(), []);
        await scene.deliver(plain);
        scene.clock.advance(100);
        const queued = await scene.claimOne();
        assert.equal(queued.lease.messageId, `queued-${looks}`);
        await scene.deliver(queued);
      }
    },
  );

  promise("a claim says when to look again", async (scene) => {
    assert.equal((await scene.claimed()).nextAt, null);
    await scene.publish("late", { ...at("late"), delayMs: 5_000 });
    await scene.publish("soon", { ...at("soon"), delayMs: 300 });
    assert.equal((await scene.claimed()).nextAt, scene.now + 300);
    scene.clock.advance(300);
    const { leased, nextAt } = await scene.claimed();
    assert.deepEqual(idsOf(leased), ["soon"]);
    assert.ok(nextAt !== null && nextAt > scene.now && nextAt <= scene.now + 4_700);
  });

  promise("it says so whatever waits for hosts that are full", async (scene) => {
    for (const accountId of ["one", "two", "three", "four", "five"]) {
      await scene.publish("a", { ...at("full"), accountId });
      await scene.publish("b", { ...at("full"), accountId, delayMs: 10 });
    }
    await scene.publish("soon", { ...at("soon"), delayMs: 50 });
    const fullHosts = ["full.test"];
    const expected = { leased: [], nextAt: scene.now + 50, linesPostponed: 0, accountsDue: [] };
    assert.deepEqual(await scene.claimed({ fullHosts }), expected);
  });

  promise("a line that is set while no message waits in it is not visited", async (scene) => {
    const lines = [queueLine("empty"), keyLine("empty")];
    for (const line of lines) await scene.limit(line, { parallelism: 1 });
    assert.deepEqual(await scene.claimed(), {
      leased: [],
      nextAt: null,
      linesPostponed: 0,
      accountsDue: [],
    });
    await scene.publish("a", { flowControl: { key: "empty", parallelism: 1, periodMs: 1000 } });
    await scene.deliver(await scene.claimOne());
    scene.clock.advance(5_000);
    await scene.claimed();
    for (const line of lines) await scene.limit(line, { parallelism: 2 });
    assert.deepEqual(await scene.claimed(), {
      leased: [],
      nextAt: null,
      linesPostponed: 0,
      accountsDue: [],
    });
  });

  promise("it says whether lines rest now that were due", async (scene) => {
    await scene.publish("one", at("one"));
    await scene.publish("two", at("two"));
    await scene.cancel("one", "two");
    assert.equal((await scene.claimed()).linesPostponed, 2);
    assert.equal((await scene.claimed()).linesPostponed, 0);
    await scene.publishAll(["a1", "a2"], at("a"));
    const { leased, linesPostponed } = await scene.claimed({ slots: 1 });
    assert.deepEqual([leased.length, linesPostponed], [1, 0]);
  });

  promise("a host is given no more than its slots, this claim's included", async (scene) => {
    await scene.publishAll(["a1", "a2", "a3"], at("a"));
    await scene.publishAll(["b1", "b2", "b3"], at("b"));
    const flowControl = { key: "key", periodMs: 1000 };
    await scene.publishAll(["k1", "k2"], { ...at("a"), flowControl });
    const leased = await scene.claim({ slotsPerHost: 1, hostSlots: new Map([["b.test", 2]]) });
    const hosts = leased.map(({ host }) => host).toSorted();
    assert.deepEqual(hosts, ["a.test", "b.test", "b.test"]);
  });

  promise("an account is given no more of a host than its share", async (scene) => {
    for (const accountId of ["one", "two", "three"]) {
      const ids = [1, 2, 3].map((number) => `${accountId}-${number}`);
      await scene.publishAll(ids, { ...at("a"), accountId });
    }
    const flowControl = { key: "key", periodMs: 1000 };
    await scene.publishAll(["k1", "k2"], { ...at("a"), accountId: "one", flowControl });
    const hostShares = new Map([["a.test", { others: 2, accounts: { one: 0, two: 1 } }]]);
    const request = { hostSlots: new Map([["a.test", 10]]), hostShares };
    const leased = await scene.claim(request);
    const accounts = leased.map(({ lease }) => lease.accountId).toSorted();
    assert.deepEqual(accounts, ["three", "three", "two"]);
    const whole = {
      hostSlots: new Map([["a.test", 4]]),
      hostShares: new Map([["a.test", { others: 9, accounts: {} }]]),
    };
    assert.equal((await scene.claim(whole)).length, 4);
  });

  promise("nothing due is missed when a line was emptied before", async (scene) => {
    for (const id of ["a", "b", "c"]) {
      await scene.publish(id);
      await scene.deliver(await scene.claimOne());
      scene.clock.advance(id === "a" ? 10 : 5_000);
      assert.deepEqual(await scene.claimIds(), []);
    }
    assert.equal((await scene.claimed()).nextAt, null);
    await scene.publish("d");
    assert.deepEqual(await scene.claimIds(), ["d"]);
  });
});
