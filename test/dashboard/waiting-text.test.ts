/** How many messages wait in a line, as the dashboard says it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { WaitingRow } from "../../sdk/src/answers/message.ts";

import { waitingText } from "../../dashboard/src/line/waiting-text.ts";

const row: WaitingRow = {
  reason: "paused",
  line: { kind: "queue", name: "orders" },
  count: 20_000,
  isAbout: true,
  oldest: null,
  endsAt: null,
};

test("a count that the server stopped has a plus", () => {
  assert.equal(waitingText(20_000, [row]), "20,000+");
  assert.equal(waitingText(20_000, [{ ...row, isAbout: false }]), "20,000");
  assert.equal(waitingText(0, []), "0");
});
