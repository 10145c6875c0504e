import type { Message } from "../../src/core/model/message/message.ts";
import type { LogEntry } from "../../src/core/model/message/log-entry.ts";
import type { Store } from "../../src/store/store.ts";

/** What was seen from outside: the only thing the judgement goes by, beside the store's own lists. */
export interface Ledger {
  readonly published: Map<string, Message>;
  readonly sent: Sent[];
  readonly canceled: Set<string>;
  readonly faults: number[];
}

export interface Sent {
  readonly accountId: string;
  readonly messageId: string;
  readonly retried: number;
  readonly at: number;
  readonly endsAt: number;
  readonly good: boolean;
  readonly kind: Message["kind"];
}

interface Mode {
  /** No fault at all: exactly once is required. */
  readonly exact: boolean;
  readonly hadFaults: boolean;
}

/** Judges a history by the promises of the service. */
export async function violationsOf(
  ledger: Ledger,
  store: Store,
  mode: Mode,
): Promise<{ violations: string[]; reached: Record<string, number> }> {
  const violations: string[] = [];
  const reached = {
    kills: 0,
    losses: 0,
    dead: 0,
    canceled: 0,
    retried: 0,
    callbacks: 0,
    faults: 0,
  };
  reached.kills = ledger.faults.length;
  reached.faults = mode.hadFaults ? 1 : 0;
  reached.callbacks = ledger.sent.filter(({ kind }) => kind !== "publish").length;
  const { waiting, active } = await store.reader.upkeep.counts();
  if (waiting + active > 0) violations.push(`${waiting} waiting and ${active} active at the end`);

  for (const [messageId, message] of ledger.published) {
    const entries = await logOf(store, message.accountId, messageId);
    const sent = ledger.sent.filter((one) => one.messageId === messageId);
    const last = entries[0]?.state;
    const say = (what: string): void => {
      violations.push(`${messageId} ${what}: ${entries.map(({ state }) => state).join(" ")}`);
    };
    if (last === "FAILED") reached.dead += 1;
    if (last === "CANCELED") reached.canceled += 1;
    if (entries.some(({ state }) => state === "RETRY")) reached.retried += 1;
    const starts = entries.filter(({ state }) => state === "ACTIVE").length;
    const ends = entries.filter(({ state }) => state === "DELIVERED" || state === "ERROR").length;
    if (starts > ends) reached.losses += 1;

    if (last === "DELIVERED" && !sent.some(({ good }) => good))
      say("is delivered but nobody got it");
    if (last !== "DELIVERED" && last !== "FAILED" && last !== "CANCELED") say("did not end");
    if (last === "CANCELED" && !ledger.canceled.has(messageId)) say("was canceled by nobody");
    if (ends > 1 + message.settings.retries) say("was tried too often");
    if (last === "FAILED" && ends !== 1 + message.settings.retries) say("gave up too early");
    if (mode.exact && sent.length !== ends) say(`was sent ${sent.length} times`);
    if (mode.exact && sent.filter(({ good }) => good).length > 1)
      say("arrived twice without a fault");
    const letters = await store.reader.deadLetters.list(
      message.accountId,
      { messageIds: [messageId] },
      PAGE,
    );
    if (letters.items.length !== (last === "FAILED" ? 1 : 0))
      say(`has ${letters.items.length} dead letters`);
  }
  violations.push(...callbackViolations(ledger, await allEntries(store)));
  violations.push(...keyViolations(ledger, mode));
  return { violations, reached };
}

/** One callback for each attempt that ended, one failure callback for each death. */
function callbackViolations(ledger: Ledger, entries: readonly LogEntry[]): string[] {
  const violations: string[] = [];
  let expected = 0;
  for (const { messageId, state } of entries) {
    const message = ledger.published.get(messageId);
    if (message === undefined) continue;
    const ended = state === "DELIVERED" || state === "ERROR";
    if (message.settings.callback && ended) expected += 1;
    if (message.settings.failureCallback && state === "FAILED") expected += 1;
  }
  const made = entries.filter(
    ({ messageId, state }) => state === "CREATED" && !ledger.published.has(messageId),
  );
  if (made.length !== expected)
    violations.push(`${made.length} callbacks made, ${expected} expected`);
  return violations;
}

/** At no instant are more attempts under way for the key than it allows, unless a fault explains it. */
function keyViolations(ledger: Ledger, mode: Mode): string[] {
  if (!mode.exact) return [];
  const keyed = ledger.sent.filter(
    ({ messageId }) => ledger.published.get(messageId)?.settings.flowControl,
  );
  for (const { at } of keyed) {
    for (const account of ["one", "two"]) {
      const under = keyed.filter(
        (other) =>
          other.at <= at &&
          at < other.endsAt &&
          ledger.published.get(other.messageId)?.accountId === account,
      );
      if (under.length > 2) return [`${under.length} attempts at once under a key of 2`];
    }
  }
  return [];
}

const PAGE = { after: null, count: 1_000, order: "latestFirst" } as const;

async function logOf(store: Store, accountId: string, messageId: string): Promise<LogEntry[]> {
  const page = await store.reader.messages.log(accountId, { messageIds: [messageId] }, PAGE);
  return page.items.map(({ entry }) => entry);
}

async function allEntries(store: Store): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  for (const account of ["one", "two"]) {
    let after: string | null = null;
    do {
      const page = await store.reader.messages.log(account, {}, { ...PAGE, after });
      entries.push(...page.items.map(({ entry }) => entry));
      after = page.next;
    } while (after !== null);
  }
  return entries;
}
