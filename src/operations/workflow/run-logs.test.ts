import assert from "node:assert/strict";
import { test } from "node:test";

import type { Account } from "../../core/model/account/account.ts";
import type { RunLogQuery } from "../../wire/workflow/run-log-query.ts";
import type { Context } from "../context.ts";
import { listRunEvents, listRunLogs } from "./run-logs.ts";

const PAGES = 50;
const ACCOUNT = { accountId: "account" } as Account;
const QUERY: RunLogQuery = {
  filter: { labels: ["none"] },
  count: 10,
  order: "latestFirst",
  cursor: null,
  trim: "none",
};

/** A store that reads as many runs as a page allows, and finds none that matches. */
function open(): { context: Context; reads: () => number } {
  let reads = 0;
  const list = () => {
    reads += 1;
    return Promise.resolve({ items: [], next: reads === PAGES ? null : `${reads} run` });
  };
  const store = { reader: { runs: { list } } };
  const context = { store, cursorSecrets: () => ["secret of cursors"] } as unknown as Context;
  return { context, reads: () => reads };
}

for (const [name, lists] of Object.entries({ listRunLogs, listRunEvents })) {
  test(`${name} without a match answers after one page, and says where to continue`, async () => {
    const { context, reads } = open();
    const { items, cursor } = await lists(context, ACCOUNT, QUERY);
    assert.deepEqual(items, []);
    assert.equal(typeof cursor, "string");
    assert.equal(reads(), 1);
  });
}
