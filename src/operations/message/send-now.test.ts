import assert from "node:assert/strict";
import { test } from "node:test";

import { ManualClock } from "../../../test/support/manual-clock.ts";
import type { Account } from "../../core/model/account/account.ts";
import type { BulkQuery } from "../../wire/filters/filters.ts";
import type { LiveFilter } from "../../core/model/message/log-filter.ts";
import type { Context } from "../context.ts";
import { sendManyNow } from "./send-now.ts";

const ACCOUNT = { accountId: "account", limits: { delayMsMax: 86_400_000 } } as Account;
const ALL: BulkQuery<LiveFilter> = {
  filter: {},
  count: null,
  cursor: null,
  overMs: 0,
  isDryRun: false,
};

test("messages that are published while many are sent now are not reached", async () => {
  const clock = new ManualClock();
  const waiting = ["1", "2"];
  const sent: string[] = [];
  const messages = {
    lastLive: () => Promise.resolve(waiting.at(-1) ?? null),
    live: (_account: string, _filter: LiveFilter, range: { after: string; upTo: string }) => {
      // A publisher is as fast as this call.
      waiting.push(String(waiting.length + 1));
      const items = waiting.filter((id) => id > range.after && id <= range.upTo).slice(0, 1);
      const [last] = items;
      return Promise.resolve({ items, next: last === undefined ? null : last });
    },
  };
  const act = ({ messages: due }: { messages: readonly { key: { messageId: string } }[] }) => {
    sent.push(...due.map(({ key }) => key.messageId));
    clock.advance(1);
    return Promise.resolve(due.length);
  };
  const store = { reader: { messages }, act, clock: { time: () => ({ now: 0, aheadMs: 0 }) } };
  const context = { clock, store, bell: { ring: () => {} }, cursorSecrets: () => ["secret"] };
  const answer = await sendManyNow(context as unknown as Context, ACCOUNT, ALL);
  assert.deepEqual(sent, ["1", "2"]);
  assert.deepEqual(answer, { retried: 2, cursor: undefined });
});
