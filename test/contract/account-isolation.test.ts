/**
 * Every method of the reader keeps accounts apart. Two accounts have everything under the same ids,
 * and what each of them stored names its account.
 */
import assert from "node:assert/strict";
import type { DeadLetterKey } from "../../src/core/model/message/dead-letter.ts";
import { type RunState, resultKey } from "../../src/core/model/workflow/run.ts";
import type { PageRequest } from "../../src/store/reader/page.ts";
import type { Reader } from "../../src/store/reader.ts";
import { fillAccount, KEY_LINE, QUEUE_LINE } from "./full-account.ts";
import { contract } from "./scene.ts";

/** Asks for what one account has, in the name of that or of another account. */
type Ask = (reader: Reader, accountId: string, known: Known) => Promise<unknown>;

/** What only the store knows of the account whose things are asked for. */
interface Known {
  readonly deadLetter: DeadLetterKey;
  readonly deadRun: DeadLetterKey;
  readonly run: RunState;
}

const PAGE: PageRequest = { after: null, count: 100, order: "earliestFirst" };
const ALL = { after: "", upTo: "\u{10FFFF}", count: 100 };
const EVER = Number.MAX_SAFE_INTEGER;
/** It answers for all accounts, or for none. */
const ALL_ACCOUNTS = "all accounts";

/** A method without a row does not compile. */
const ROWS: {
  readonly [Noun in keyof Reader]: Readonly<Record<keyof Reader[Noun], Ask | typeof ALL_ACCOUNTS>>;
} = {
  messages: {
    get: async ({ messages }, accountId) => [
      await messages.get({ accountId, messageId: "waiting" }),
      await messages.get({ accountId, messageId: "dead" }),
    ],
    settings: ({ messages }, accountId) => messages.settings(accountId, ["waiting", "dead"]),
    callbacks: ({ messages }, accountId) =>
      messages.callbacks({ accountId, messageId: "dead" }, 100),
    bodyPart: ({ messages }, accountId) =>
      messages.bodyPart({ accountId, messageId: "waiting" }, 0, 100),
    lastStates: ({ messages }, accountId) => messages.lastStates(accountId, ["waiting", "dead"]),
    underWay: ({ messages }, accountId) => messages.underWay(accountId),
    lastLive: ({ messages }, accountId) => messages.lastLive(accountId),
    live: ({ messages }, accountId) =>
      Promise.all([
        messages.live(accountId, {}, ALL),
        messages.live(accountId, { queueNames: ["queue"] }, ALL),
      ]),
    log: ({ messages }, accountId) =>
      Promise.all([
        messages.log(accountId, {}, PAGE),
        messages.log(accountId, { messageIds: ["waiting", "dead"] }, PAGE),
        messages.log(accountId, { states: ["FAILED"] }, { ...PAGE, order: "latestFirst" }),
      ]),
  },
  deadLetters: {
    get: ({ deadLetters }, accountId, { deadLetter }) =>
      deadLetters.get({ ...deadLetter, accountId }),
    list: ({ deadLetters }, accountId) => deadLetters.list(accountId, {}, PAGE),
    keys: ({ deadLetters }, accountId) => deadLetters.keys(accountId, {}, PAGE),
    groups: ({ deadLetters }, accountId) => deadLetters.groups(accountId, 100),
    hosts: ({ deadLetters }, accountId) => deadLetters.hosts(accountId, 100),
  },
  runs: {
    get: async ({ runs }, accountId, { run }) => [
      await runs.get({ accountId, runId: run.runId }),
      await runs.get({ accountId, runId: run.runId, createdAt: run.createdAt }),
    ],
    entries: async ({ runs }, accountId, { run }) => [
      await runs.entries({ ...run, accountId }),
      await runs.entries({ ...run, accountId }, 0, 100_000),
    ],
    hasStep: ({ runs }, accountId, { run }) => runs.hasStep({ ...run, accountId }, resultKey(1)),
    counts: ({ runs }, accountId) => runs.counts(accountId, 100),
    active: ({ runs }, accountId) => runs.active(accountId, {}, PAGE),
    list: ({ runs }, accountId, { run }) =>
      Promise.all([
        runs.list(accountId, {}, PAGE),
        runs.list(accountId, { runIds: [run.runId] }, PAGE),
      ]),
    history: ({ runs }, accountId, { run }) => runs.history({ ...run, accountId }, 1_000),
  },
  deadRuns: {
    get: ({ deadRuns }, accountId, { deadRun }) => deadRuns.get({ ...deadRun, accountId }),
    list: ({ deadRuns }, accountId) => deadRuns.list(accountId, {}, PAGE),
    keys: ({ deadRuns }, accountId) => deadRuns.keys(accountId, {}, PAGE),
  },
  waiters: {
    forEvent: ({ waiters }, accountId) => waiters.forEvent(accountId, "event", null, 100),
    due: ALL_ACCOUNTS,
  },
  schedules: {
    get: ({ schedules }, accountId) => schedules.get({ accountId, scheduleId: "schedule" }),
    list: ({ schedules }, accountId) => schedules.list(accountId, "", 100, 100_000),
    due: ALL_ACCOUNTS,
    later: ALL_ACCOUNTS,
  },
  lines: {
    holders: ({ lines }, accountId) => lines.holders(accountId, [QUEUE_LINE, KEY_LINE], 10),
    areSet: ({ lines }, accountId) =>
      lines.areSet([QUEUE_LINE, KEY_LINE].map((line) => ({ accountId, line }))),
    report: async ({ lines }, accountId) => [
      await lines.report({ accountId, line: QUEUE_LINE }, EVER),
      await lines.report({ accountId, line: KEY_LINE }, EVER),
    ],
    list: async ({ lines }, accountId) => [
      await lines.list(accountId, "q:", "", 100, EVER),
      await lines.list(accountId, "k:", "", 100, EVER),
    ],
    names: ({ lines }, accountId) => lines.names(accountId, "", 100),
    load: async ({ lines }, accountId) => [
      await lines.load({ accountId, line: QUEUE_LINE }),
      await lines.load({ accountId, line: KEY_LINE }),
    ],
    waiting: ({ lines }, accountId) => lines.waiting(accountId, EVER),
    countQueues: ({ lines }, accountId) => lines.countQueues(accountId),
    lastPosition: ({ lines }, accountId) => lines.lastPosition({ accountId, line: QUEUE_LINE }),
    queued: ({ lines }, accountId) => lines.queued({ accountId, line: QUEUE_LINE }, EVER, 100),
  },
  urlGroups: {
    get: ({ urlGroups }, accountId) => urlGroups.get({ accountId, name: "group" }),
    list: ({ urlGroups }, accountId) => urlGroups.list(accountId),
  },
  accounts: {
    get: ({ accounts }, accountId) => accounts.get(accountId),
    getAll: ({ accounts }, accountId) => accounts.getAll([accountId]),
    byTokens: ({ accounts }, accountId) => accounts.byTokens([`${accountId}-token`]),
    byCustomer: ({ accounts }, accountId) => accounts.byCustomer(`${accountId}@example.com`),
    list: ALL_ACCOUNTS,
    dailyCounts: ({ accounts }, accountId) => accounts.dailyCounts(accountId, 0),
    usage: ({ accounts }, accountId) => accounts.usage(accountId),
    contents: ({ accounts }, accountId) => accounts.contents(accountId),
  },
  stats: {
    series: ({ stats }, accountId) =>
      stats.series(accountId, { step: "minute", fromAt: 0, toAt: EVER }),
    hosts: ({ stats }, accountId) => stats.hosts(accountId, 0, 100),
    backlog: ({ stats }, accountId) =>
      stats.backlog(accountId, { step: "minute", fromAt: 0, toAt: EVER }),
  },
  service: { get: ALL_ACCOUNTS, nodes: ALL_ACCOUNTS, durability: ALL_ACCOUNTS },
  upkeep: {
    leases: ALL_ACCOUNTS,
    upcoming: ALL_ACCOUNTS,
    agenda: ALL_ACCOUNTS,
    oldest: ({ upkeep }, accountId) => upkeep.oldest([accountId]),
    olderDeadLetter: ({ upkeep }, accountId, { deadLetter }) =>
      Promise.all([
        upkeep.olderDeadLetter(accountId, null, 1),
        upkeep.olderDeadLetter(accountId, { ...deadLetter, number: EVER }, 1),
      ]),
    logEnd: ALL_ACCOUNTS,
    counts: ALL_ACCOUNTS,
    backlogCountedAt: ALL_ACCOUNTS,
    countBacklog: ALL_ACCOUNTS,
    size: ALL_ACCOUNTS,
  },
};

contract("keeping accounts apart in every read", (promise) => {
  promise("there is a row for each method", ({ store: { reader } }) => {
    for (const noun of nounsOf(reader)) {
      const methods = Object.keys(reader[noun]).toSorted();
      assert.deepEqual(Object.keys(ROWS[noun]).toSorted(), methods, noun);
    }
    assert.deepEqual(nounsOf(reader).toSorted(), nounsOf(ROWS).toSorted());
    return Promise.resolve();
  });

  promise("what one account reads has nothing of another", async (scene) => {
    const { reader } = scene.store;
    await fillAccount(scene, "bert-account", 1);
    const known = await knownOf(reader, "bert-account");
    const alone = await answersTo(reader, "bert-account", known);
    await fillAccount(scene, "anna-account", 2);
    assert.deepEqual(await answersTo(reader, "bert-account", known), alone);
    const ofAnna = await answersTo(reader, "anna-account", known);
    const toNobody = await answersTo(reader, "nobody", known);
    for (const [name, answer] of alone) {
      assert.ok(!isNothing(answer), `${name} has something that it could tell others`);
      assert.doesNotMatch(textOf(answer), /anna/, name);
      assert.doesNotMatch(textOf(ofAnna.get(name)), /bert/, name);
      assert.ok(isNothing(toNobody.get(name)), `${name}: ${textOf(toNobody.get(name))}`);
    }
  });
});

async function knownOf({ deadLetters, deadRuns, runs }: Reader, accountId: string): Promise<Known> {
  const letters = await deadLetters.list(accountId, {}, PAGE);
  const [dead] = (await deadRuns.list(accountId, {}, PAGE)).items;
  const run = await runs.get({ accountId, runId: "run" });
  return {
    deadLetter: letters.items.find(({ message }) => message.messageId === "dead")!.deadLetter,
    deadRun: dead!.deadLetter,
    run: run!.state,
  };
}

/** The answers of all methods that answer for one account. */
async function answersTo(
  reader: Reader,
  accountId: string,
  known: Known,
): Promise<ReadonlyMap<string, unknown>> {
  const answers = new Map<string, unknown>();
  for (const noun of nounsOf(ROWS)) {
    for (const [method, ask] of Object.entries<Ask | typeof ALL_ACCOUNTS>(ROWS[noun])) {
      if (ask === ALL_ACCOUNTS) continue;
      answers.set(`${noun}.${method}`, await ask(reader, accountId, known));
    }
  }
  return answers;
}

function nounsOf(nouns: object): (keyof Reader)[] {
  return Object.keys(nouns) as (keyof Reader)[];
}

/** Whether an answer tells of no row, beside the account that asked. */
function isNothing(answer: unknown): boolean {
  if (answer === null || answer === 0 || answer === false) return true;
  if (answer instanceof Uint8Array || typeof answer !== "object") return false;
  return Object.entries(answer).every(([name, value]) => name === "accountId" || isNothing(value));
}

function textOf(answer: unknown): string {
  return JSON.stringify(answer, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString() : value,
  );
}
