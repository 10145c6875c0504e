/** The rows of a list while it is watched: pages in turn, changes in place, and what is kept for a reader who comes back. */
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import type { PageStart } from "../../dashboard/src/app/search-pages.ts";
import { dashboardModule, UsedHook } from "../support/dashboard-modules.ts";

interface State {
  readonly rows: readonly number[];
  readonly pending: readonly number[];
  readonly lostAt: number | null;
  readonly fresh: ReadonlySet<string>;
}

interface Watching {
  readonly list: {
    readonly rows: readonly number[];
    readonly isLoading: boolean;
    readonly isLoadingMore: boolean;
    readonly isNone: boolean;
    readonly error: { readonly message: string } | null;
    readonly hasMore: boolean;
    readonly pendingCount: number;
    readonly freshKeys: ReadonlySet<string>;
    readonly loadMore: () => void;
    readonly showPending: () => void;
    readonly reload: () => void;
  };
  readonly shown: () => readonly number[];
  readonly signal: () => AbortSignal;
  readonly change: (change: (before: State) => State) => void;
}

interface Page {
  readonly rows: readonly number[];
  readonly cursor: string | null;
}

interface RowFacts {
  readonly keyOf: (row: number) => string;
  readonly timeOf: (row: number) => number;
}

interface Source extends RowFacts {
  readonly name: string;
  readonly loadPage: (from: PageStart, signal: AbortSignal) => Promise<Page>;
}

const { entered, useWatchedList } = await dashboardModule<{
  entered: (state: State, facts: RowFacts) => State;
  useWatchedList: (source: Source) => Watching;
}>("app/watched-list.ts");
const { session } = await dashboardModule<{ session: { value: unknown } }>("app/session.ts");
const { ApiError } = await dashboardModule<{
  ApiError: new (status: number, sentence: string, field: null) => Error;
}>("app/api.ts");

/** Pages that were asked for and wait for their answer, in turn. */
let asked: { from: PageStart; signal: AbortSignal; answer: PromiseWithResolvers<Page> }[] = [];
let used: UsedHook<[Source], Watching> | undefined;

describe("a list that is watched", () => {
  afterEach(async () => {
    await used?.leave();
    asked = [];
  });

  test("nothing is known until the first page is there", async () => {
    const view = await watch("first page");
    assert.deepEqual([view.value.list.isLoading, view.value.list.isNone], [true, false]);
    await answer({ rows: [9, 8], cursor: "8" });
    assert.deepEqual(view.value.list.rows, [9, 8]);
    const { isLoading, isNone, hasMore } = view.value.list;
    assert.deepEqual([isLoading, isNone, hasMore], [false, false, true]);
  });

  test("a list is empty when its last page is, and only then", async () => {
    const view = await watch("none");
    await answer({ rows: [], cursor: null });
    const { isLoading, isNone, hasMore } = view.value.list;
    assert.deepEqual([isLoading, isNone, hasMore], [false, true, false]);
  });

  test("the next page comes once at the end, without the rows that are there already", async () => {
    const view = await watch("more");
    view.value.list.loadMore();
    assert.equal(asked.length, 1, "the first is on its way");
    await answer({ rows: [9, 8], cursor: "8" });
    view.value.list.loadMore();
    await settled();
    assert.deepEqual([view.value.list.isLoadingMore, view.value.list.isLoading], [true, false]);
    view.value.list.loadMore();
    assert.deepEqual(
      asked.map(({ from }) => from.cursor),
      ["8"],
    );
    await answer({ rows: [8, 7], cursor: null });
    assert.deepEqual(view.value.list.rows, [9, 8, 7]);
    view.value.list.loadMore();
    assert.deepEqual([asked.length, view.value.list.hasMore], [0, false]);
  });

  test("a page that fails leaves the rows, and the error; reading anew takes it away", async () => {
    const view = await watch("fails");
    await answer({ rows: [9], cursor: "9" });
    view.value.list.loadMore();
    await refuse(new ApiError(503, "busy", null));
    assert.deepEqual([view.value.list.rows, view.value.list.error?.message], [[9], "busy"]);
    assert.equal(view.value.list.isNone, false);
    view.value.list.reload();
    await settled();
    await answer({ rows: [5], cursor: null });
    assert.deepEqual([view.value.list.rows, view.value.list.error], [[5], null]);
  });

  test("a failed list is not an empty one", async () => {
    const view = await watch("fails at first");
    await refuse(new ApiError(0, "away", null));
    assert.deepEqual([view.value.list.isNone, view.value.list.isLoading], [false, false]);
  });

  test("another filter ends what was asked for the last, whose rows are there on the way back", async () => {
    const view = await watch("one");
    await answer({ rows: [3, 2, 1], cursor: null });
    view.value.change((before) => ({ ...before, fresh: new Set(["3"]) }));
    await settled();
    const signalOfOne = view.value.signal();
    view.draw(source("two"));
    await settled();
    assert.equal(signalOfOne.aborted, true);
    assert.deepEqual(view.value.list.rows, []);
    await answer({ rows: [20], cursor: null });
    view.draw(source("one"));
    await settled();
    assert.deepEqual(view.value.list.rows, [3, 2, 1]);
    assert.equal(view.value.list.isLoading, false);
    assert.deepEqual([...view.value.list.freshKeys], []);
    await answer({ rows: [4, 3], cursor: null });
    assert.deepEqual(view.value.list.rows, [4, 3]);
  });

  test("eight lists are kept, those shown last", async () => {
    const view = await watch("kept 0");
    await answer({ rows: [100], cursor: null });
    for (const number of [1, 2, 3, 4, 5, 6, 7, 8, 1, 9]) {
      view.draw(source(`kept ${number}`));
      await settled();
      await answer({ rows: [number], cursor: null });
    }
    for (const [number, rows] of [
      [1, [1]],
      [3, [3]],
      [0, []],
      [2, []],
    ] as const) {
      view.draw(source(`kept ${number}`));
      await settled();
      assert.deepEqual(view.value.list.rows, rows, `kept ${number}`);
    }
  });

  test("what was kept for one reader is not shown to the next", async () => {
    session.value = { kind: "account" };
    const first = await watch("of a session");
    await answer({ rows: [2, 1], cursor: null });
    await first.leave();
    session.value = null;
    const next = await watch("of a session");
    assert.deepEqual([next.value.list.rows, next.value.list.isLoading], [[], true]);
  });

  test("rows that wait enter on top, the newest first, when the reader wants them", async () => {
    const view = await watch("waiting");
    await answer({ rows: [2, 1], cursor: null });
    view.value.change((before) => ({ ...before, pending: [3, 4] }));
    await settled();
    assert.deepEqual([view.value.list.rows, view.value.list.pendingCount], [[2, 1], 2]);
    view.value.list.showPending();
    await settled();
    assert.deepEqual(view.value.list.rows, [4, 3, 2, 1]);
    assert.deepEqual(view.value.shown(), [4, 3, 2, 1]);
    assert.equal(view.value.list.pendingCount, 0);
    assert.deepEqual([...view.value.list.freshKeys].toSorted(), ["3", "4"]);
  });

  test("rows that were lost are loaded again, also those that are lost while a page is on its way", async () => {
    const view = await watch("lost");
    const rows = Array.from({ length: 1_000 }, (_, index) => 1_000 - index);
    await answer({ rows, cursor: null });
    assert.equal(view.value.list.hasMore, false);
    await enter(view, 1_001, 1_002);
    assert.deepEqual([view.value.list.rows.at(-1), view.value.list.hasMore], [3, true]);
    view.value.list.loadMore();
    await settled();
    assert.deepEqual(asked[0]!.from, { cursor: null, toAt: 2 });
    await enter(view, 1_003);
    await answer({ rows: [2, 1], cursor: null });
    assert.deepEqual(view.value.list.rows.slice(-3), [4, 2, 1]);
    view.value.list.loadMore();
    await settled();
    assert.deepEqual(asked[0]!.from, { cursor: null, toAt: 3 });
    await answer({ rows: [3, 2, 1], cursor: null });
    assert.deepEqual(view.value.list.rows.toSorted((a, b) => b - a)[1_002], 1);
    assert.equal(view.value.list.hasMore, false);
  });

  test("a list that is watched for long loses its oldest rows", () => {
    assert.deepEqual([rowsAfter(999).length, rowsAfter(999).at(-1)], [1_000, -997]);
    // As many as were loaded.
    const loaded = rowsAfter(20_000);
    assert.equal(loaded.length, 20_000);
    assert.deepEqual([loaded.slice(0, 3), loaded.at(-1)], [[2, 1, -0], -19_997]);
  });
});

/** Rows are numbers, and each is as new as it is large. */
const FACTS: RowFacts = { keyOf: String, timeOf: (row) => row };

function source(name: string): Source {
  return {
    name,
    ...FACTS,
    loadPage: (from, signal) => {
      const waiting = { from, signal, answer: Promise.withResolvers<Page>() };
      asked.push(waiting);
      signal.addEventListener("abort", () => waiting.answer.reject(signal.reason));
      return waiting.answer.promise;
    },
  };
}

async function watch(name: string): Promise<UsedHook<[Source], Watching>> {
  used = new UsedHook(useWatchedList, source(name));
  await settled();
  return used;
}

/** The rows of a list of so many, once two more have entered. */
function rowsAfter(length: number): readonly number[] {
  const rows = Array.from({ length }, (_, index) => -index);
  return entered({ rows, pending: [1, 2], lostAt: null, fresh: new Set() }, FACTS).rows;
}

async function enter(
  view: UsedHook<[Source], Watching>,
  ...pending: readonly number[]
): Promise<void> {
  view.value.change((before) => ({ ...before, pending }));
  await settled();
  view.value.list.showPending();
  await settled();
}

async function answer(answered: Page): Promise<void> {
  asked.pop()!.answer.resolve(answered);
  await settled();
}

async function refuse(error: Error): Promise<void> {
  asked.pop()!.answer.reject(error);
  await settled();
}

async function settled(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise(setImmediate);
}
