import type { Account } from "../core/model/account/account.ts";
import { type DeadLetterKey, parseDeadLetterId } from "../core/model/message/dead-letter.ts";
import type { DeadLetterFilter } from "../core/model/message/log-filter.ts";
import type { PublishOptions } from "../core/model/message/publish-options.ts";
import type { DeadRun, DeadRunFilter } from "../core/model/workflow/dead-run.ts";
import { requireSpread } from "../core/policy/retry/spread.ts";
import { notFound } from "../core/not-found.ts";
import type { Problem } from "../core/problem.ts";
import type { StoredDeadLetter } from "../store/reader/dead-letters.ts";
import type { Page, PageRequest } from "../store/reader/page.ts";
import type { BulkQuery, ListQuery } from "../wire/filters/filters.ts";
import { type BulkCount, COUNTED_MAX, countEach, eachPage } from "./bulk-pages.ts";
import type { Context } from "./context.ts";
import { type Listed, listDated, openDated } from "./pages.ts";

/** Failed runs are dead letters too: both are listed, counted and worked through alike. */
interface Dead {
  readonly deadLetters: { readonly filter: DeadLetterFilter; readonly item: StoredDeadLetter };
  readonly deadRuns: { readonly filter: DeadRunFilter; readonly item: DeadRun };
}

type DeadReaders = {
  readonly [Noun in keyof Dead]: {
    get(key: DeadLetterKey, bodyBytesMax?: number): Promise<Dead[Noun]["item"] | null>;
    list: ReadPage<Noun, Dead[Noun]["item"]>;
    keys: ReadPage<Noun, DeadLetterKey>;
  };
};

type ReadPage<Noun extends keyof Dead, Item> = (
  accountId: string,
  filter: Dead[Noun]["filter"],
  page: PageRequest,
) => Promise<Page<Item>>;

function readerOf<Noun extends keyof Dead>({ store }: Context, noun: Noun): DeadReaders[Noun] {
  const readers: DeadReaders = store.reader;
  return readers[noun];
}

/** The latest first. */
export function listDead<Noun extends keyof Dead>(
  context: Context,
  noun: Noun,
  accountId: string,
  query: ListQuery<Dead[Noun]["filter"]>,
): Promise<Listed<Dead[Noun]["item"]>> {
  return listDated(context, SCOPE, query, (filter, page) =>
    readerOf(context, noun).list(accountId, filter, page),
  );
}

export async function getDead<Noun extends keyof Dead>(
  context: Context,
  noun: Noun,
  accountId: string,
  id: string,
  bodyBytesMax?: number,
  field?: string,
): Promise<Dead[Noun]["item"]> {
  const key = parseDeadLetterId(accountId, id);
  const found = key && (await readerOf(context, noun).get(key, bodyBytesMax));
  if (found === null) throw deadLetterNotFound(id, field);
  return found;
}

/** How many a bulk change would reach, by their keys alone. */
export function countDead<Noun extends keyof Dead>(
  context: Context,
  noun: Noun,
  accountId: string,
  query: BulkQuery<Dead[Noun]["filter"]>,
): Promise<BulkCount> {
  const { filter, after: start } = openDated(context, SCOPE, query);
  return countEach(context, query.count, (after) =>
    readerOf(context, noun).keys(accountId, filter, {
      after: after === "" ? start : after,
      count: COUNTED_MAX,
      order: "latestFirst",
    }),
  );
}

/** The same for a retry or a rerun, and refused as that would be. */
export async function countSent<Noun extends keyof Dead>(
  context: Context,
  noun: Noun,
  { accountId, limits }: Account,
  query: BulkQuery<Dead[Noun]["filter"]>,
  given: PublishOptions,
): Promise<BulkCount> {
  requireSpread(query.overMs, given, context.clock.now(), limits.delayMsMax);
  const ids = new Set(query.filter.deadLetterIds);
  for (const id of ids) await getDead(context, noun, accountId, id, 0, "dlqIds");
  return countDead(context, noun, accountId, query);
}

export interface DeadWork<Item> {
  /** Changes a page; returns by how many bytes the answer grows. */
  readonly change: (dead: readonly Item[]) => Promise<number>;
  /** Waits for the memory that the change of a page needs. */
  readonly reserve?: (dead: readonly Item[]) => Promise<void>;
}

/** Works through those that match, newest first, and returns where to continue. */
export function eachDead<Noun extends keyof Dead>(
  context: Context,
  noun: Noun,
  accountId: string,
  query: BulkQuery<Dead[Noun]["filter"]>,
  { change, reserve }: DeadWork<Dead[Noun]["item"]>,
): Promise<string | undefined> {
  return eachPage(context, SCOPE, query, {
    read: async (filter: Dead[Noun]["filter"], request) => {
      const page = await readerOf(context, noun).list(accountId, filter, request);
      await reserve?.(page.items);
      return page;
    },
    change,
  });
}

/** Removes all that `each` works through. */
export async function removeEach(
  context: Context,
  each: (work: DeadWork<{ readonly deadLetter: DeadLetterKey }>) => Promise<string | undefined>,
): Promise<{ readonly deleted: number; readonly cursor: string | undefined }> {
  let deleted = 0;
  const cursor = await each({
    change: async (dead) => {
      const keys = dead.map(({ deadLetter }) => deadLetter);
      deleted += await removeLetters(context, keys);
      return 0;
    },
  });
  return { deleted, cursor };
}

/** Returns how many of them existed. */
export async function removeLetters(
  { store }: Context,
  keys: readonly DeadLetterKey[],
): Promise<number> {
  if (keys.length === 0) return 0;
  return (await store.act({ rule: "remove-dead-letters", keys })).length;
}

export function deadLetterNotFound(id: string, field = "dlqId"): Problem {
  return notFound("dead letter", id, field);
}

const SCOPE = "dead-letters";
