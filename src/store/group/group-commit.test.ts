import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { aPublish, aPublishItem } from "../../../test/support/messages.ts";
import { Problem } from "../../core/problem.ts";
import { accountOf } from "./act-account.ts";
import { GroupCommit } from "./group-commit.ts";

test("a small act behind many slow groups is refused in time", async () => {
  const clock = new ManualClock();
  let written = Promise.withResolvers<void>();
  const groups = new GroupCommit({
    clock,
    groupsMax: 1,
    rowsWorthAGroup: 1,
    write: async (acts) => {
      await written.promise;
      return acts.map(() => ({ ok: true, answer: "written" }));
    },
  });
  const submitted = Array.from({ length: 2_000 }, () =>
    groups.submit(aPublish(0, aPublishItem())).catch((error: unknown) => error),
  );
  await turnsOfTheLoop();
  for (let group = 0; group < 3; group++) {
    for (let second = 0; second < 3; second++) clock.advance(1_000);
    const { resolve } = written;
    written = Promise.withResolvers<void>();
    resolve();
    await turnsOfTheLoop();
  }
  written.resolve();
  const answers: unknown[] = await Promise.all(submitted);
  const refused = answers.filter((answer) => answer instanceof Problem);
  assert.ok(refused.length > 1_000, `${refused.length} of 2,000`);
  assert.ok(refused.every(({ kind }) => kind === "overloaded"));
  const stored = answers.filter((answer) => answer === "written");
  assert.equal(stored.length, 2_000 - refused.length);
});

test("an act under way is answered in time since its caller came, however long it waited", async () => {
  const clock = new ManualClock();
  const writes: PromiseWithResolvers<void>[] = [];
  const groups = new GroupCommit({
    clock,
    groupsMax: 1,
    rowsWorthAGroup: 1,
    write: async (acts) => {
      const written = Promise.withResolvers<void>();
      writes.push(written);
      await written.promise;
      return acts.map(() => ({ ok: true, answer: "written" }));
    },
  });
  const first = groups.submit(aPublish(0, aPublishItem()));
  await turnsOfTheLoop();
  const lease = { accountId: "account", messageId: "a", fence: 1 };
  const second = groups.submit(aPublish(0, aPublishItem()));
  const refused = assert.rejects(second, /it may have been stored/);
  const settled = groups.submit({ rule: "hand-back", at: 0, lease });
  for (let check = 0; check < 5; check++) clock.advance(1_000);
  writes[0]!.resolve();
  assert.equal(await first, "written");
  await turnsOfTheLoop();
  assert.equal(writes.length, 2);
  for (let check = 0; check < 4; check++) clock.advance(1_000);
  await refused;
  writes[1]!.resolve();
  assert.equal(await settled, "written");
  await groups.drain();
});

test("an account's act is in the next group, whatever another account has submitted", async () => {
  const written: string[][] = [];
  const gate = Promise.withResolvers<void>();
  const groups = new GroupCommit({
    groupsMax: 2,
    rowsWorthAGroup: 800,
    areParallel: false,
    write: async (acts) => {
      written.push(acts.map((act) => accountOf(act)));
      if (written.length === 1) await gate.promise;
      return acts.map(() => ({ ok: true, answer: null }));
    },
  });
  const submit = (accountId: string) => groups.submit(aPublish(0, aPublishItem({ accountId })));
  const flood = [submit("first"), ...Array.from({ length: 1_000 }, () => submit("busy"))];
  await nextTurn();
  await nextTurn();
  const other = submit("quiet");
  assert.equal(written.length, 1);
  gate.resolve();
  await other;
  assert.equal(written.length, 2);
  assert.deepEqual(
    written[1]?.filter((accountId) => accountId === "quiet"),
    ["quiet"],
  );
  await Promise.all(flood);
});

test("an account with nothing under way is written beside the groups of a busy one", async () => {
  const gate = Promise.withResolvers<void>();
  const written: string[][] = [];
  const groups = new GroupCommit({
    groupsMax: 3,
    rowsWorthAGroup: 128,
    write: async (acts) => {
      const accounts = acts.map((act) => accountOf(act));
      written.push([...new Set(accounts)]);
      if (!accounts.includes("quiet")) await gate.promise;
      return acts.map(() => ({ ok: true, answer: null }));
    },
  });
  const submit = (accountId: string) => groups.submit(aPublish(0, aPublishItem({ accountId })));
  await submit("quiet");
  const flood = Array.from({ length: 1_000 }, () => submit("busy"));
  await nextTurn();
  await nextTurn();
  await submit("quiet");
  assert.deepEqual(written, [["quiet"], ["busy"], ["quiet"]]);
  gate.resolve();
  await Promise.all(flood);
});

/** Long enough for a group to begin. */
async function turnsOfTheLoop(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await nextTurn();
}
