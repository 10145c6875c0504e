/** The dashboard knows the plans and limits of the server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PLANS } from "../../src/core/model/account/account.ts";
import { LIMITS } from "../../src/core/policy/limits/limit-table.ts";
import * as dashboard from "../../dashboard/src/account/limits.ts";

test("every plan", () => assert.deepEqual(dashboard.PLANS, PLANS));

test("every limit that is used, and which of them an account may be without", () => {
  const used = Object.values(LIMITS).filter(({ says }) => !says.startsWith("Not used"));
  assert.deepEqual(rows(dashboard.LIMITS), rows(used));
});

function rows(list: readonly { readonly name: string; readonly mayBeNone?: boolean }[]): string[] {
  return list.map(({ name, mayBeNone = false }) => `${name} ${mayBeNone}`).toSorted();
}
