import assert from "node:assert/strict";

import { deadLetterId } from "../../src/core/model/message/dead-letter.ts";
import type { DeadLetterFilter, LogFilter } from "../../src/core/model/message/log-filter.ts";
import type { PageRequest } from "../../src/store/reader/page.ts";
import { bytes } from "../support/messages.ts";
import { contract, type Scene } from "./scene.ts";

const PAGE: PageRequest = { after: null, count: 100, order: "latestFirst" };

contract("reading the log", (promise) => {
  promise("it is in the order of writing, whatever the clock says", async (scene) => {
    await scene.publish("a");
    scene.clock.step(-60_000);
    await scene.publish("b");
    scene.clock.step(30_000);
    await scene.publish("c");
    const order = async (page: PageRequest) => (await logIds(scene, {}, page)).ids;
    assert.deepEqual(await order({ ...PAGE, order: "earliestFirst" }), ["a", "b", "c"]);
    assert.deepEqual(await order(PAGE), ["c", "b", "a"]);
  });

  promise("pages follow one another without gap or repetition, in both orders", async (scene) => {
    const ids = Array.from({ length: 10 }, (_, index) => `message-${index}`);
    await scene.publishAll(ids);
    for (const order of ["earliestFirst", "latestFirst"] as const) {
      const seen: string[] = [];
      let after: string | null = null;
      do {
        const { ids: found, next } = await logIds(scene, {}, { after, count: 3, order });
        assert.ok(found.length <= 3);
        seen.push(...found);
        after = next;
      } while (after !== null);
      assert.deepEqual(seen, order === "earliestFirst" ? ids : ids.toReversed());
    }
  });

  promise("entries that were written together are still pages apart", async (scene) => {
    await scene.publish("a");
    await scene.retry(await scene.claimOne(), 0);
    await scene.kill(await scene.claimOne());
    const states = ["CREATED", "ACTIVE", "ERROR", "RETRY", "ACTIVE", "ERROR", "FAILED"];
    for (const order of ["earliestFirst", "latestFirst"] as const) {
      for (const count of [1, 2, 3]) {
        const seen: string[] = [];
        let after: string | null = null;
        do {
          const page: PageRequest = { after, count, order };
          const { items, next } = await scene.store.reader.messages.log("account", {}, page);
          seen.push(...items.map(({ entry }) => entry.state));
          after = next;
        } while (after !== null && seen.length < 20);
        assert.deepEqual(seen, order === "earliestFirst" ? states : states.toReversed());
      }
    }
    for (const state of ["ERROR", "RETRY", "FAILED"] as const) {
      const { items } = await scene.store.reader.messages.log("account", { states: [state] }, PAGE);
      const wanted = states.filter((each) => each === state);
      assert.deepEqual(
        items.map(({ entry }) => entry.state),
        wanted,
      );
    }
  });

  promise("a full page that is also the last says so", async (scene) => {
    await scene.publishAll(["a", "b"]);
    assert.equal((await logIds(scene, {}, { ...PAGE, count: 2 })).next, null);
    assert.notEqual((await logIds(scene, {}, { ...PAGE, count: 1 })).next, null);
  });

  promise("what is written later does not move pages that were begun", async (scene) => {
    await scene.publishAll(["a", "b", "c"]);
    const first = await logIds(scene, {}, { ...PAGE, count: 2 });
    await scene.publish("d");
    const second = await logIds(scene, {}, { ...PAGE, after: first.next });
    assert.deepEqual([...first.ids, ...second.ids], ["c", "b", "a"]);
  });

  promise("every filter narrows by its field, and all of them together", async (scene) => {
    const special = {
      url: "https://special.test/path",
      labels: ["x", "y"],
      queueName: "queue",
      urlGroup: "topic",
      scheduleId: "schedule",
      callerIp: "198.51.100.7",
      flowControl: { key: "key", periodMs: 1 },
    };
    await scene.publish("plain");
    scene.clock.advance(10);
    await scene.publish("special", special);
    await scene.publish("plain-too");
    const filters: LogFilter[] = [
      { messageIds: ["special", "nobody"] },
      { urls: [special.url] },
      { labels: ["nobody", "y"] },
      { queueNames: ["queue"] },
      { urlGroups: ["topic"] },
      { scheduleIds: ["schedule"] },
      { callerIps: [special.callerIp] },
      { flowControlKeys: ["key"] },
      { hosts: ["special.test"] },
      { paths: ["/path"] },
      { messageIds: ["special", "plain"], fromAt: scene.now },
      { states: ["CREATED"], labels: ["x"], fromAt: scene.now, toAt: scene.now },
    ];
    for (const filter of filters) {
      assert.deepEqual((await logIds(scene, filter)).ids, ["special"], JSON.stringify(filter));
    }
    const empty: LogFilter[] = [
      { messageIds: [] },
      { states: [] },
      { states: ["FAILED"] },
      { messageIds: ["special"], states: ["ACTIVE"] },
      { fromAt: scene.now + 1 },
      { toAt: scene.now - 11 },
    ];
    for (const filter of empty) {
      assert.deepEqual(
        await logIds(scene, filter),
        { ids: [], next: null },
        JSON.stringify(filter),
      );
    }
  });

  promise("bodies are cut as asked, and attempts are told of where they belong", async (scene) => {
    await scene.publish("a", { body: bytes("0123456789") });
    await scene.retry(await scene.claimOne(), 0);
    const page = { ...PAGE, order: "earliestFirst", bodyBytesMax: 4 } as const;
    const { items } = await scene.store.reader.messages.log("account", {}, page);
    assert.deepEqual(
      items.map(({ entry, attempt }) => [entry.state, attempt?.number ?? null]),
      [
        ["CREATED", null],
        ["ACTIVE", null],
        ["ERROR", 1],
        ["RETRY", null],
      ],
    );
    for (const { body } of items) assert.deepEqual(Buffer.from(body), Buffer.from("0123"));
  });
});

contract("reading dead letters", (promise) => {
  promise("by age in both orders, page by page", async (scene) => {
    const letters: string[] = [];
    for (const id of ["a", "b", "c"]) {
      letters.push(deadLetterId(await scene.bury(id)));
      scene.clock.advance(10);
    }
    const order = async (page: PageRequest) =>
      (await scene.store.reader.deadLetters.list("account", {}, page)).items.map(({ deadLetter }) =>
        deadLetterId(deadLetter),
      );
    assert.deepEqual(await order({ ...PAGE, order: "earliestFirst" }), letters);
    assert.deepEqual(await order(PAGE), letters.toReversed());
    const first = await scene.store.reader.deadLetters.list("account", {}, { ...PAGE, count: 2 });
    assert.deepEqual(await order({ ...PAGE, after: first.next }), [letters[0]]);
  });

  promise("letters that are named come in the same order and pages", async (scene) => {
    const ids: string[] = [];
    for (const id of ["a", "b", "c", "d"]) ids.push(deadLetterId(await scene.bury(id)));
    const filter = { deadLetterIds: [ids[2]!, ids[0]!, "5-5", ids[3]!, ids[0]!] };
    const pages: string[][] = [];
    let after: string | null = null;
    do {
      const page: PageRequest = { after, count: 2, order: "latestFirst" };
      const { items, next } = await scene.store.reader.deadLetters.list("account", filter, page);
      pages.push(items.map(({ deadLetter }) => deadLetter.messageId));
      after = next;
      assert.ok(pages.length < 5);
    } while (after !== null);
    assert.deepEqual(pages, [["d", "c"], ["a"]]);
  });

  promise("every filter narrows by its field", async (scene) => {
    await scene.bury("plain");
    scene.clock.advance(10);
    await scene.publish("special", { labels: ["x"], url: "https://special.test/" });
    const attempt = { status: 418 };
    await scene.settle(await scene.claimOne(), { verdict: { kind: "dead" }, attempt });
    const letter = (await scene.deadLetters()).at(-1)!.deadLetter;
    const filters: DeadLetterFilter[] = [
      { messageIds: ["special"] },
      { statuses: [418, 419] },
      { deadLetterIds: [deadLetterId(letter), "1-999999", "not an id"] },
      { labels: ["x"] },
      { urls: ["https://special.test/"] },
      { fromAt: scene.now, toAt: scene.now },
    ];
    const ids = async (filter: DeadLetterFilter) =>
      (await scene.store.reader.deadLetters.list("account", filter, PAGE)).items.map(
        ({ deadLetter }) => deadLetter.messageId,
      );
    for (const filter of filters) {
      assert.deepEqual(await ids(filter), ["special"], JSON.stringify(filter));
    }
    assert.deepEqual(await ids({ deadLetterIds: [] }), []);
    assert.deepEqual(await ids({ statuses: [] }), []);
    assert.deepEqual((await ids({})).toSorted(), ["plain", "special"]);
  });
});

contract("keeping accounts apart", (promise) => {
  promise("nothing of one account is ever shown to another", async (scene) => {
    const letter = await scene.bury("dead", { accountId: "theirs" });
    await scene.publish("a", { accountId: "theirs" });
    const { reader } = scene.store;
    assert.equal(await reader.messages.get({ accountId: "mine", messageId: "a" }), null);
    assert.equal(await reader.deadLetters.get({ ...letter, accountId: "mine" }), null);
    assert.deepEqual((await reader.messages.log("mine", {}, PAGE)).items, []);
    assert.deepEqual((await reader.messages.log("mine", { messageIds: ["a"] }, PAGE)).items, []);
    assert.deepEqual((await reader.deadLetters.list("mine", {}, PAGE)).items, []);
    const byId = { deadLetterIds: [deadLetterId(letter)] };
    assert.deepEqual((await reader.deadLetters.list("mine", byId, PAGE)).items, []);
    assert.equal((await reader.deadLetters.list("theirs", byId, PAGE)).items.length, 1);
  });

  promise("accounts whose ids end alike are two accounts", async (scene) => {
    const [mine, theirs] = ["account-1-a1b2c3d4", "account-2-a1b2c3d4"];
    await scene.publish("a", { accountId: theirs });
    await scene.publish("b", { accountId: mine });
    const { reader } = scene.store;
    const { items } = await reader.messages.log(mine, {}, PAGE);
    assert.deepEqual([...new Set(items.map(({ message }) => message.messageId))], ["b"]);
    const days = await reader.accounts.dailyCounts(mine, 0);
    assert.deepEqual(
      days.map(({ messages }) => messages),
      [1],
    );
    const page = { after: "", upTo: "z", count: 10 };
    assert.deepEqual((await reader.messages.live(mine, {}, page)).items, ["b"]);
    assert.equal(await reader.messages.lastLive(theirs), "a");
  });

  promise("the same ids in two accounts are two messages", async (scene) => {
    for (const accountId of ["mine", "theirs"]) {
      await scene.publish("a", { accountId, body: bytes(accountId) });
    }
    const leased = await scene.claim();
    assert.equal(leased.length, 2);
    for (const { lease, body } of leased)
      assert.deepEqual(Buffer.from(body).toString(), lease.accountId);
    await scene.kill(leased.find(({ lease }) => lease.accountId === "mine")!);
    assert.equal(await scene.phase("a", "mine"), "FAILED");
    assert.equal(await scene.phase("a", "theirs"), "active");
    assert.deepEqual(await scene.deadLetters("theirs"), []);
    const [letter] = await scene.deadLetters("mine");
    assert.deepEqual(Buffer.from(letter?.body ?? []).toString(), "mine");
  });
});

async function logIds(
  scene: Scene,
  filter: LogFilter,
  page: PageRequest = PAGE,
): Promise<{ ids: string[]; next: string | null }> {
  const { items, next } = await scene.store.reader.messages.log("account", filter, page);
  return { ids: items.map(({ entry }) => entry.messageId), next };
}
