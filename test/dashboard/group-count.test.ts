/** How many dead letters failed alike, as the dashboard says it. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { groupCount, isCountedInPart } from "../../dashboard/src/dead-letter/group-count.ts";

test("of more dead letters than the server groups, each count may be greater", () => {
  assert.equal(isCountedInPart([{ count: 4_000 }, { count: 6_000 }]), true);
  assert.equal(isCountedInPart([{ count: 4_000 }, { count: 5_999 }]), false);
  assert.equal(groupCount({ count: 4_000, isAtLeast: true }), "4,000+");
  assert.equal(groupCount({ count: 4_000, isAtLeast: false }), "4,000");
});
