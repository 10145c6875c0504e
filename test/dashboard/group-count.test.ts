/** How many dead letters failed alike, as the dashboard says it. */
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  groupCount,
  hostsText,
  isCountedInPart,
} from "../../dashboard/src/dead-letter/group-count.ts";

test("of more dead letters than the server groups, each count may be greater", () => {
  assert.equal(isCountedInPart([{ count: 4_000 }, { count: 6_000 }]), true);
  assert.equal(isCountedInPart([{ count: 4_000 }, { count: 5_999 }]), false);
  assert.equal(groupCount({ count: 4_000, isAtLeast: true }), "4,000+");
  assert.equal(groupCount({ count: 4_000, isAtLeast: false }), "4,000");
});

test("hosts that are known from the newest alone are not said to be all", () => {
  const urls = ["a", "b", "b"].map((name) => `https://${name}.test/`);
  assert.equal(hostsText(3, urls), "from a.test and 1 more");
  assert.equal(hostsText(4, urls), "newest from a.test and 1 more");
  assert.equal(hostsText(2, urls.slice(1)), "all from b.test");
  assert.equal(hostsText(3, urls.slice(1)), "newest from b.test");
  assert.equal(hostsText(1, urls.slice(1, 2)), "from b.test");
});
