import assert from "node:assert/strict";
import { test } from "node:test";

import { ManualClock } from "../../test/support/manual-clock.ts";
import { Problem } from "../core/problem.ts";
import type { PageRequest } from "../store/reader/page.ts";
import { readDatedCursor } from "../wire/filters/cursor.ts";
import { eachPage } from "./bulk-pages.ts";
import type { Context } from "./context.ts";

const SECRET = "secret of cursors";
const QUERY = { filter: {}, cursor: null, count: null };

const reserve = (): Promise<void> => Promise.reject(new Problem("overloaded", "no room"));

/** Pages of one item each, of which some need more memory than there is. */
function open(noRoomAt: number) {
  const context = {
    clock: new ManualClock(),
    cursorSecrets: () => [SECRET],
    reserve,
  } as unknown as Context;
  const changed: string[] = [];
  const read = async (_filter: object, { after, reserve: wanted }: PageRequest) => {
    const number = Number(after ?? 0) + 1;
    if (number === noRoomAt) await wanted?.(1);
    return { items: [String(number)], next: number === 10 ? null : String(number) };
  };
  /** Returns the position in the cursor, if there is one. */
  const run = async (answerBytes: number): Promise<string | undefined> => {
    const change = (items: readonly string[]): Promise<number> => {
      changed.push(...items);
      return Promise.resolve(answerBytes);
    };
    const cursor = await eachPage(context, "dead-letters", QUERY, { read, change });
    return cursor === undefined
      ? undefined
      : (readDatedCursor([SECRET], "dead-letters", cursor).position ?? undefined);
  };
  return { changed, run };
}

test("a change that finds no room for its first page is refused", async () => {
  const { changed, run } = open(1);
  await assert.rejects(run(0), { kind: "overloaded" });
  assert.deepEqual(changed, []);
});

test("a change that finds no room later answers what it did, and where to go on", async () => {
  const { changed, run } = open(4);
  assert.equal(await run(0), "3");
  assert.deepEqual(changed, ["1", "2", "3"]);
});

test("a change whose answer has grown to a page answers it, and where to go on", async () => {
  const { changed, run } = open(99);
  assert.equal(await run(2 * 1024 * 1024), "2");
  assert.deepEqual(changed, ["1", "2"]);
  assert.equal(await run(0), undefined);
});
