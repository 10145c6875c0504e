import assert from "node:assert/strict";
import { type ChangeAccountAct, accountOf } from "../../src/core/rules/account/accounts.ts";
import type { AccountRecord } from "../../src/core/model/account/account.ts";
import {
  keyLine,
  queueLine,
  type LineKey,
  type LinePatch,
  type LineSetting,
} from "../../src/core/model/line/line.ts";
import type { Schedule } from "../../src/core/model/schedule/schedule.ts";
import type { UrlGroup } from "../../src/core/model/url-group/url-group.ts";
import { readCron } from "../../src/core/policy/cron/cron.ts";
import { anAccount, bytes } from "../support/messages.ts";
import { aPutSchedule, aSettings, aTick, scheduleKey } from "../support/schedules.ts";
import { contract, type Scene } from "./scene.ts";
import { scheduleOf } from "./schedule-scene.ts";

/** An account of which no field is what it would be by itself. */
const FULL: AccountRecord = anAccount({
  accountId: "full",
  dialect: "upstash",
  plan: "svc_fixed_1m",
  overrides: { queuesMax: 3, urlGroupsMax: 4 },
  planChangedAt: 11,
  customerId: "full@example.com",
  createdAt: 12,
  createdBy: "operator@example.com",
  budgetDollars: 30,
  isSuspended: true,
  isPaused: true,
  passwordHash: "full-password",
  tokenHash: "full-token",
  readOnlyTokenHash: "full-read-only",
  previousTokens: { tokenHash: "old-token", readOnlyTokenHash: "old-read-only", until: 13 },
  signingKeys: { current: "full-current", next: "full-next" },
});

const CREDENTIALS = {
  tokenHash: "new-token",
  readOnlyTokenHash: "new-read-only",
  passwordHash: "new-password",
};

contract("what a change of an account leaves alone", (promise) => {
  const changes: Readonly<
    Record<string, [Pick<ChangeAccountAct, "fields" | "overrides">, Partial<AccountRecord>]>
  > = {
    nothing: [{ fields: {} }, {}],
    "its budget": [{ fields: { budgetDollars: 40 } }, { budgetDollars: 40 }],
    "how its messages are delivered": [{ fields: { dialect: "both" } }, { dialect: "both" }],
    "the server's choice for that": [{ fields: { dialect: null } }, { dialect: null }],
    "an end of its suspension": [{ fields: { isSuspended: false } }, { isSuspended: false }],
    "an end of its pause": [{ fields: { isPaused: false } }, { isPaused: false }],
    "the plan that it has": [{ fields: { plan: "svc_fixed_1m" } }, {}],
    "another plan": [{ fields: { plan: "free" } }, { plan: "free", planChangedAt: 1_000 }],
    "one limit": [
      { fields: {}, overrides: { set: { queuesMax: 9 }, unset: [] } },
      { overrides: { queuesMax: 9, urlGroupsMax: 4 } },
    ],
    "a limit that follows the plan again": [
      { fields: {}, overrides: { set: {}, unset: ["queuesMax"] } },
      { overrides: { urlGroupsMax: 4 } },
    ],
  };
  for (const [what, [change, expected]] of Object.entries(changes)) {
    promise(`${what}: every other field`, async (scene) => {
      await scene.act({ rule: "add-account", account: FULL });
      const base = { rule: "change-account", at: 1_000, accountId: "full" } as const;
      const answer = await scene.act({ ...base, ...change });
      const changed = accountOf({ ...FULL, ...expected });
      assert.deepEqual(answer, changed);
      assert.deepEqual(await scene.store.reader.accounts.get("full"), changed);
    });
  }

  promise("new credentials: every other field", async (scene) => {
    await scene.act({ rule: "add-account", account: FULL });
    const base = { rule: "rotate-credentials", at: 1_000, accountId: "full" } as const;
    await scene.act({ ...base, credentials: CREDENTIALS, graceMs: 500 });
    const { tokenHash, readOnlyTokenHash } = FULL;
    const previousTokens = { tokenHash, readOnlyTokenHash, until: 1_500 };
    const changed = { ...FULL, ...CREDENTIALS, previousTokens };
    assert.deepEqual(await scene.store.reader.accounts.get("full"), changed);
    await scene.act({ ...base, credentials: CREDENTIALS, graceMs: 0 });
    assert.deepEqual(await scene.store.reader.accounts.get("full"), {
      ...changed,
      previousTokens: null,
    });
  });

  promise("new signing keys: every other field", async (scene) => {
    await scene.act({ rule: "add-account", account: FULL });
    await scene.act({ rule: "rotate-signing-keys", accountId: "full", next: "third" });
    const signingKeys = { current: "full-next", next: "third" };
    assert.deepEqual(await scene.store.reader.accounts.get("full"), { ...FULL, signingKeys });
  });
});

const SKIPPED = { firstAt: 1, lastAt: 2, count: 3 };
const OTHER = aSettings({
  cron: "0 0 * * *",
  destination: "https://other.test/",
  queueName: "other",
  options: { dialect: "upstash", headers: [], settings: { retries: 1 }, delayMs: 5_000 },
  callerIp: "192.0.2.9",
  version: "2",
});

/** A schedule that has fired, has passed ticks over and is paused, so that each field is set. */
async function fullSchedule(scene: Scene): Promise<Schedule> {
  await scene.addAccount("account");
  await scene.act(aPutSchedule(scene.now, "a", { queueName: "q" }));
  await fire(scene, { skipped: SKIPPED, messageIds: ["made"] });
  await fire(scene, { error: "too large" });
  const base = { rule: "pause-schedule", key: scheduleKey("a") } as const;
  await scene.act({ ...base, at: scene.now, isPaused: true });
  const schedule = await scheduleOf(scene, "a");
  const { lastAt, lastMessageIds, error, skipped, isPaused, lastTicks } = schedule;
  assert.deepEqual([lastMessageIds, error, skipped], [["made"], "too large", SKIPPED]);
  assert.equal(lastTicks?.length, 3);
  assert.ok(lastAt !== undefined && isPaused);
  scene.clock.advance(1);
  return schedule;
}

/** Lets the schedule fire at its next instant. */
async function fire(
  scene: Scene,
  {
    messageIds = [],
    ...fired
  }: { messageIds?: string[]; error?: string; skipped?: typeof SKIPPED },
): Promise<void> {
  const schedule = await scheduleOf(scene, "a");
  scene.clock.advance((schedule.nextAt ?? 0) - scene.now);
  const tick = aTick(schedule, messageIds[0] ?? "none");
  const messages = messageIds.length === 0 ? [] : tick.fired!.messages;
  const ticks = [{ ...tick, fired: { messages, ...fired } }];
  assert.deepEqual(await scene.act({ rule: "tick", at: scene.now, ticks }), ["fired"]);
}

contract("what a change of a schedule leaves alone", (promise) => {
  promise("other settings: its age, its pause, and what its ticks came to", async (scene) => {
    const { createdAt, lastAt, lastMessageIds, skipped, lastTicks } = await fullSchedule(scene);
    const body = bytes("other");
    await scene.act({ ...aPutSchedule(scene.now, "a"), settings: OTHER, body });
    const stored = await scene.store.reader.schedules.get(scheduleKey("a"));
    assert.deepEqual(plain(stored?.schedule), {
      ...scheduleKey("a"),
      ...plain(OTHER),
      createdAt,
      lastAt,
      lastMessageIds,
      skipped,
      lastTicks,
      isPaused: true,
      nextAt: readCron(OTHER.cron).next(scene.now),
    });
    assert.deepEqual(Buffer.from(stored!.body), Buffer.from(body));
  });

  promise("a pause, its end and a tick of it: every other field", async (scene) => {
    const paused = await fullSchedule(scene);
    const base = { rule: "pause-schedule", key: scheduleKey("a") } as const;
    await scene.act({ ...base, at: scene.now, isPaused: true });
    assert.deepEqual(await scheduleOf(scene, "a"), paused);
    scene.clock.advance((paused.nextAt ?? 0) - scene.now);
    const tick = aTick(paused, "never");
    await scene.act({ rule: "tick", at: scene.now, ticks: [tick] });
    assert.deepEqual(await scheduleOf(scene, "a"), { ...paused, nextAt: tick.nextAt });
    await scene.act({ ...base, at: scene.now, isPaused: false });
    const nextAt = readCron(paused.cron).next(scene.now);
    assert.deepEqual(await scheduleOf(scene, "a"), { ...paused, isPaused: false, nextAt });
  });

  promise("a tick: its settings, its age and the record of earlier ones", async (scene) => {
    const before = await fullSchedule(scene);
    const base = { rule: "pause-schedule", key: scheduleKey("a") } as const;
    await scene.act({ ...base, at: scene.now, isPaused: false });
    await fire(scene, { messageIds: ["next"] });
    const { nextAt, error, ...after } = await scheduleOf(scene, "a");
    const { nextAt: _nextAt, error: _error, ...kept } = before;
    assert.deepEqual(plain(after), {
      ...plain(kept),
      isPaused: false,
      lastAt: scene.now,
      lastMessageIds: ["next"],
      lastTicks: [{ at: scene.now, messageIds: ["next"] }, ...(before.lastTicks ?? [])],
    });
    assert.ok(nextAt !== null && error === undefined);
  });
});

contract("what a change of a queue or a key leaves alone", (promise) => {
  const changes: Readonly<Record<string, LinePatch>> = {
    "a pause": { paused: false },
    "its parallelism": { parallelism: 8 },
    "its rate": { rate: 8, periodMs: 8_000 },
    "a pin of its parallelism that is taken away": { isParallelismPinned: false },
    "a pin of its rate that is taken away": { isRatePinned: false },
    nothing: {},
  };
  for (const line of [queueLine("name"), keyLine("name")]) {
    for (const [what, patch] of Object.entries(changes)) {
      promise(`${line}, ${what}: every other field`, async (scene) => {
        const key = { accountId: "account", line };
        const before = await fullLine(scene, key);
        const answer = await setLine(scene, key, patch);
        assert.equal(answer, "set");
        const { isParallelismPinned, isRatePinned, ...limits } = patch;
        assert.deepEqual((await scene.store.reader.lines.report(key, scene.now))?.setting, {
          ...before,
          limits: { ...before.limits, ...limits },
          isParallelismPinned: isParallelismPinned ?? true,
          isRatePinned: isRatePinned ?? true,
          updatedAt: scene.now,
        });
      });
    }
  }
});

async function fullLine(scene: Scene, key: LineKey): Promise<LineSetting> {
  await scene.addAccount("account");
  const limits = { parallelism: 5, rate: 6, periodMs: 7_000, paused: true };
  await setLine(scene, key, { ...limits, isParallelismPinned: true, isRatePinned: true });
  const setting = (await scene.store.reader.lines.report(key, scene.now))?.setting;
  assert.deepEqual(setting?.limits, limits);
  scene.clock.advance(5);
  return setting;
}

function setLine(scene: Scene, key: LineKey, patch: LinePatch): Promise<string> {
  const base = { rule: "set-line", ifMissing: "add", queuesMax: null } as const;
  return scene.act({ ...base, ...key, at: scene.now, patch });
}

contract("what a change of a URL group leaves alone", (promise) => {
  const key = { accountId: "account", name: "group" };
  const A = { url: "https://a.test", name: "a" };
  const B = { url: "https://b.test", name: "b" };
  const C = { url: "https://c.test", name: "c" };
  const limits = { urlGroupsMax: 3, endpointsPerUrlGroupMax: 5 };

  async function fullGroup(scene: Scene): Promise<UrlGroup> {
    await scene.addAccount("account");
    const put = { rule: "put-endpoints", at: scene.now, key, limits } as const;
    await scene.act({ ...put, endpoints: [A, B] });
    const headers = [["Svc-Retries", "7"]] as const;
    await scene.act({ rule: "set-url-group-headers", at: scene.now, key, headers });
    const group = await scene.store.reader.urlGroups.get(key);
    scene.clock.advance(5);
    return group!;
  }

  promise("endpoints that are added, changed and removed: every other field", async (scene) => {
    const before = await fullGroup(scene);
    const base = { at: scene.now, key } as const;
    const shown = (): Promise<UrlGroup | null> => scene.store.reader.urlGroups.get(key);
    await scene.act({ ...base, rule: "put-endpoints", limits, endpoints: [C] });
    const added = { ...before, endpoints: [A, B, C], updatedAt: scene.now };
    assert.deepEqual(await shown(), added);
    const [unnamed, moved] = [{ url: A.url }, { url: "https://d.test", name: "b" }];
    await scene.act({ ...base, rule: "put-endpoints", limits, endpoints: [unnamed, moved] });
    assert.deepEqual(await shown(), { ...added, endpoints: [A, moved, C] });
    await scene.act({ ...base, rule: "remove-endpoints", endpoints: [{ name: "c" }] });
    assert.deepEqual(await shown(), { ...added, endpoints: [A, moved] });
  });

  promise("other headers: every other field", async (scene) => {
    const before = await fullGroup(scene);
    const headers = [["Svc-Method", "PUT"]] as const;
    await scene.act({ rule: "set-url-group-headers", at: scene.now, key, headers });
    const expected = { ...before, headers: [["Svc-Method", "PUT"]], updatedAt: scene.now };
    assert.deepEqual(await scene.store.reader.urlGroups.get(key), expected);
  });
});

/** Without members that are undefined, which a store does not keep. */
function plain(value: unknown): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
}
