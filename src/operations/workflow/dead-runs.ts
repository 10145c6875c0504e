import { parseDeadLetterId } from "../../core/model/message/dead-letter.ts";
import type { DeadRun, DeadRunFilter } from "../../core/model/workflow/dead-run.ts";
import { Problem } from "../../core/problem.ts";
import type { DeadRunBulk } from "../../wire/workflow/dead-run-query.ts";
import type { ListQuery } from "../../wire/filters/filters.ts";
import type { Context } from "../context.ts";
import { removeLetters } from "../message/dead-letters.ts";
import { type Listed, listDated, openDated } from "../pages.ts";

/** Failed runs, the latest first. */
export async function listDeadRuns(
  context: Context,
  accountId: string,
  query: ListQuery<DeadRunFilter>,
): Promise<Listed<DeadRun>> {
  return listDated(context, SCOPE, query, (filter, page) =>
    context.store.reader.deadRuns(accountId, filter, page),
  );
}

export async function getDeadRun(
  context: Context,
  accountId: string,
  id: string,
): Promise<DeadRun> {
  const key = parseDeadLetterId(accountId, id);
  const dead = key && (await context.store.reader.deadRun(key));
  if (dead === null) throw deadRunNotFound(id);
  return dead;
}

export async function removeDeadRun(
  context: Context,
  accountId: string,
  id: string,
): Promise<void> {
  const { deadLetter } = await getDeadRun(context, accountId, id);
  if ((await removeLetters(context, [deadLetter])) === 0) throw deadRunNotFound(id);
}

/** Removes all that match, or as many as are asked for. Ids that are gone are skipped. */
export async function removeDeadRuns(
  context: Context,
  accountId: string,
  query: DeadRunBulk,
): Promise<{ readonly deleted: number; readonly cursor: string | undefined }> {
  let deleted = 0;
  const cursor = await eachDeadRun(context, accountId, query, async (dead) => {
    const letters = dead.map(({ deadLetter }) => deadLetter);
    deleted += await removeLetters(context, letters);
  });
  return { deleted, cursor };
}

/**
 * Works through the failed runs that match, newest first, and answers where to go on. What fails
 * meanwhile is newer than what is looked at, so that the work ends.
 */
export async function eachDeadRun(
  context: Context,
  accountId: string,
  query: DeadRunBulk,
  work: (dead: readonly DeadRun[]) => Promise<void>,
): Promise<string | undefined> {
  if (query.filter.deadLetterIds !== undefined) {
    await eachNamed(context, accountId, query.filter.deadLetterIds, work);
    return undefined;
  }
  const stopAt = context.clock.monotonic() + BULK_MS_MAX;
  const { filter, seal, after: start } = openDated(context, SCOPE, query);
  let after = start;
  let left = query.count ?? Infinity;
  do {
    const page = await context.store.reader.deadRuns(accountId, filter, {
      after,
      count: Math.min(left, PAGE_COUNT),
      order: "latestFirst",
    });
    await work(page.items);
    left -= page.items.length;
    after = page.next;
  } while (after !== null && left > 0 && context.clock.monotonic() < stopAt);
  return seal(after);
}

/** Those that are named and there, in the order of their names; holds a few in memory at a time. */
async function eachNamed(
  { store }: Context,
  accountId: string,
  ids: readonly string[],
  work: (dead: readonly DeadRun[]) => Promise<void>,
): Promise<void> {
  const keys = [...new Set(ids)].map((id) => parseDeadLetterId(accountId, id));
  const named = keys.filter((key) => key !== null);
  while (named.length > 0) {
    const found = named.splice(0, NAMED_AT_ONCE).map((key) => store.reader.deadRun(key));
    await work((await Promise.all(found)).filter((dead) => dead !== null));
  }
}

export function deadRunNotFound(id: string): Problem {
  return new Problem("not-found", `dead letter ${id} not found`);
}

const SCOPE = "dead-letters";
const PAGE_COUNT = 100;
const NAMED_AT_ONCE = 8;
/** Longer work answers a cursor, so that a client need not wait without a sign. */
const BULK_MS_MAX = 20_000;
