import assert from "node:assert/strict";
import { type DeadLetter, deadLetterId } from "../../../src/core/model/message/dead-letter.ts";
import { KEY_PREFIX, QUEUE_PREFIX, type LineKey } from "../../../src/core/model/line/line.ts";
import type { LogEntry } from "../../../src/core/model/message/log-entry.ts";
import { type MessageKey, SUSPECT_LOSSES } from "../../../src/core/model/message/message.ts";
import { isNextLeased } from "../../../src/core/rules/message/next-in-queue.ts";
import type { Page, PageRequest } from "../../../src/store/reader/page.ts";
import type { Store } from "../../../src/store/store.ts";
import { countedStates } from "../../support/counted-states.ts";
import { keyOf, type ModelStore } from "./model-store.ts";
import { ACCOUNTS, NODES } from "./step.ts";

/** Holds everything that can be read of a store against the model. */
export async function compareAll(
  store: Store,
  model: ModelStore,
  everMade: readonly { accountId: string; messageId: string }[],
  now: number,
): Promise<void> {
  for (const key of everMade) {
    assert.deepEqual(
      plain(await store.reader.messages.get(key)),
      plain(expectedMessage(model, key)),
    );
  }
  for (const accountId of ACCOUNTS) {
    await compareLog(store, model, accountId);
    await compareDeadLetters(store, model, accountId);
    await compareLines(store, model, accountId, now);
  }
  await compareTotals(store, model);
  const states = model.states();
  const active = states.filter(({ phase }) => phase === "active").length;
  assert.deepEqual(await store.reader.upkeep.counts(), { waiting: states.length - active, active });
  for (const nodeId of NODES) {
    const leases = await store.reader.upkeep.leases(nodeId, Number.MAX_SAFE_INTEGER);
    const expected = states.filter((state) => state.nodeId === nodeId);
    assert.deepEqual(leases.map(leaseText).toSorted(), expected.map(leaseText).toSorted());
  }
}

/** What settlements have leased can be sent. */
export async function compareNext(
  store: Store,
  model: ModelStore,
  results: readonly PromiseSettledResult<unknown>[],
): Promise<void> {
  for (const result of results) {
    if (result.status === "rejected" || !isNextLeased(result.value)) continue;
    const { next } = result.value;
    const { accountId, messageId, fence, host, attempts } = next;
    const { message, body } = model.facts.get(keyOf(next))!;
    const lease = { accountId, messageId, fence };
    const [leased] = await store.leased([next]);
    assert.deepEqual(plain(leased), plain({ lease, message, body, host, attempts }));
  }
}

async function compareTotals(store: Store, model: ModelStore): Promise<void> {
  const { durationMs: _, durations, ...totals } = await store.totals();
  assert.deepEqual(
    totals,
    countedStates((state) => model.logged.get(state) ?? 0),
  );
  assert.equal(
    durations.reduce((sum, count) => sum + count, 0),
    totals.attempts,
  );
}

function expectedMessage(
  model: ModelStore,
  key: { accountId: string; messageId: string },
): unknown {
  const facts = model.facts.get(keyOf(key));
  if (facts === undefined) return null;
  const { message, body } = facts;
  const entries = model.log.flat().filter((entry) => keyOf(entry) === keyOf(key));
  const state = model.living.get(keyOf(key))?.state ?? null;
  const letters = [...model.deadLetters.values()];
  const deadLetter = letters.find((letter) => keyOf(letter) === keyOf(key)) ?? null;
  return { message, body, state, lastEntry: entries.at(-1) ?? null, deadLetter };
}

async function compareLog(store: Store, model: ModelStore, accountId: string): Promise<void> {
  const read = (page: PageRequest) => store.reader.messages.log(accountId, {}, page);
  const items = await allPages(read, 7, "earliestFirst");
  const latestFirst = await allPages(read, 50, "latestFirst");
  assert.deepEqual(plain(latestFirst.toReversed()), plain(items));
  const numbers = items.map(({ number }) => number);
  assert.ok(
    numbers.every((number, index) => number > (numbers[index - 1] ?? 0)),
    "in order",
  );
  const writes = model.log.map((entries) =>
    entries.filter((entry) => entry.accountId === accountId),
  );
  const found = writes.map((entries) => items.splice(0, entries.length));
  assert.deepEqual(items, []);
  writes.forEach((entries, index) => {
    const expected = byMessage(entries).map((entry) => expectedItem(model, entry));
    const actual = found[index]!.toSorted((one, other) => byMessageId(one.entry, other.entry));
    const shown = actual.map(({ entry, message, body, attempt }) => {
      return { entry, message, body, attempt };
    });
    assert.deepEqual(plain(shown), plain(expected));
  });
}

function expectedItem(model: ModelStore, entry: LogEntry): unknown {
  const { message, body } = model.facts.get(keyOf(entry))!;
  const tells = entry.state === "ERROR" || entry.state === "DELIVERED";
  const attempt = tells ? model.attempts.get(`${keyOf(entry)} ${entry.attempt}`)! : null;
  return { entry, message, body, attempt };
}

async function compareDeadLetters(
  store: Store,
  model: ModelStore,
  accountId: string,
): Promise<void> {
  const read = (page: PageRequest) => store.reader.deadLetters.list(accountId, {}, page);
  const items = await allPages(read, 2, "earliestFirst");
  const expected = [...model.deadLetters.values()]
    .filter((letter) => letter.accountId === accountId)
    .toSorted((one, other) => one.diedAt - other.diedAt || one.number - other.number);
  const letters: DeadLetter[] = items.map(({ deadLetter }) => deadLetter);
  assert.deepEqual(plain(letters), plain(expected));
  assert.equal(new Set(letters.map(deadLetterId)).size, letters.length);
  for (const { deadLetter, message, body, attempt } of items) {
    const facts = model.facts.get(keyOf(deadLetter))!;
    const made = model.attempts.get(`${keyOf(deadLetter)} ${deadLetter.attempt}`);
    const { message: asked, body: sent } = facts;
    assert.deepEqual(
      plain({ message, body, attempt }),
      plain({ message: asked, body: sent, attempt: made }),
    );
  }
}

/** What was set, who waits and who has gone on; of rate windows only the drivers know. */
async function compareLines(
  store: Store,
  model: ModelStore,
  accountId: string,
  now: number,
): Promise<void> {
  const settings = [...model.settings.values()].filter((each) => each.accountId === accountId);
  for (const prefix of [QUEUE_PREFIX, KEY_PREFIX]) {
    const found = await store.reader.lines.list(accountId, prefix, "", 100, now);
    const expected = settings
      .filter(({ line }) => line.startsWith(prefix))
      .toSorted((one, other) => (one.line < other.line ? -1 : 1));
    assert.deepEqual(plain(found.map(({ setting }) => setting)), plain(expected));
    for (const { setting, status } of found) {
      const { waiting, held } = status;
      assert.deepEqual({ waiting, held }, expectedStatus(model, setting, now), setting.line);
    }
  }
  const underWay = model.states().filter((state) => state.phase === "active");
  const own = underWay.filter((state) => state.accountId === accountId).length;
  assert.equal(await store.reader.messages.underWay(accountId), own);
}

function expectedStatus(model: ModelStore, { accountId, line }: LineKey, now: number) {
  const own = model.states().filter((state) => state.accountId === accountId);
  const inLine = own.filter((state) => state.line === line && state.losses < SUSPECT_LOSSES);
  if (line.startsWith(QUEUE_PREFIX)) {
    const admitted = own.filter(
      (state) => state.lineAfter === null && model.admittedFrom.get(keyOf(state)) === line,
    );
    return { waiting: inLine.length, held: admitted.length };
  }
  const due = inLine.filter(({ phase, readyAt }) => phase === "waiting" && readyAt <= now);
  const active = own.filter((state) => state.line === line && state.phase === "active");
  return { waiting: due.length, held: active.length };
}

async function allPages<Item>(
  read: (page: PageRequest) => Promise<Page<Item>>,
  count: number,
  order: PageRequest["order"],
): Promise<Item[]> {
  const items: Item[] = [];
  let after: string | null = null;
  do {
    const page: Page<Item> = await read({ after, count, order });
    assert.ok(page.items.length <= count);
    items.push(...page.items);
    after = page.next;
  } while (after !== null);
  return items;
}

function byMessage(entries: readonly LogEntry[]): LogEntry[] {
  return entries.toSorted(byMessageId);
}

/** Sorting keeps the order of equals, and so the order of one message's entries. */
export function byMessageId(one: MessageKey, other: MessageKey): number {
  return one.messageId < other.messageId ? -1 : Number(one.messageId > other.messageId);
}

function leaseText({
  accountId,
  messageId,
  fence,
}: {
  accountId: string;
  messageId: string;
  fence: number;
}): string {
  return `${accountId} ${messageId} ${fence}`;
}

/** As JSON: absent and undefined are the same, and bytes are compared by value. */
export function plain(value: unknown): unknown {
  const text = JSON.stringify(value, (_, part: unknown) =>
    part instanceof Uint8Array ? Buffer.from(part).toString("base64") : part,
  );
  return JSON.parse(text) as unknown;
}
