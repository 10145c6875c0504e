/** Parts that compute what they draw: shares, small lines, states, marks of attempts, the pace of a day. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { MessageRow } from "../../dashboard/src/message/message-row.ts";
import { dashboardModule, drawn, setPageTime, words } from "../support/dashboard-modules.ts";

type Component<Props> = (props: Props) => unknown;

const { Meter, StackedBar } = await dashboardModule<{
  Meter: Component<{ used: number; max: number | null; isHolding?: boolean; isQuota?: boolean }>;
  StackedBar: Component<{ parts: { name: string; share: number; fill: string }[] }>;
}>("parts/meter.tsx");
const { Spark } = await dashboardModule<{
  Spark: Component<{ values: number[]; kind?: "line" | "bars" }>;
}>("parts/spark.tsx");
const { Chip } = await dashboardModule<{
  Chip: Component<{ state: string; waiting?: { reason: string; endsAt: number | null } | null }>;
}>("parts/chip.tsx");
const { messageColumns } = await dashboardModule<{
  messageColumns: (waiting: []) => { head: unknown; cell: (row: MessageRow) => unknown }[];
}>("message/message-columns.tsx");
const { UsageCard } = await dashboardModule<{
  UsageCard: Component<{ account: { usage: object[] } }>;
}>("account/usage-card.tsx");

const NOON = Date.UTC(2026, 5, 15, 12);

describe("parts that compute", () => {
  before(() => setPageTime(NOON));

  test("a meter is as full as its share, and warns where a quota is nearly used", () => {
    assert.match(
      drawn(Meter({ used: 1, max: 3 })),
      /aria-label="1 of 3".*class="live" width="33.3%"/,
    );
    assert.match(drawn(Meter({ used: 9, max: 3 })), /width="100%"/);
    assert.match(drawn(Meter({ used: 0, max: 0 })), /width="0%"/);
    assert.match(drawn(Meter({ used: 79, max: 100, isQuota: true })), /class="live"/);
    assert.match(drawn(Meter({ used: 80, max: 100, isQuota: true })), /class="warnf"/);
    assert.match(drawn(Meter({ used: 80, max: 100, isQuota: true, isHolding: true })), /"holdf"/);
    assert.equal(words(Meter({ used: 5, max: null })), "no limit");
  });

  test("parts of a whole stand side by side", () => {
    const parts = [
      { name: "Delay", share: 0.25, fill: "hatch" },
      { name: "Paused", share: 0.75, fill: "idle" },
    ];
    const bar = drawn(StackedBar({ parts }));
    assert.match(bar, /aria-label="Delay 25 %, Paused 75 %"/);
    assert.match(bar, /class="hatch" x="0%" width="25%".*class="idle" x="25%" width="75%"/);
  });

  test("a small line goes from edge to edge, and nothing is a flat line", () => {
    assert.match(drawn(Spark({ values: [0, 5, 10] })), /d="M0.0 21.0L48.0 11.0L96.0 1.0"/);
    assert.match(drawn(Spark({ values: [0, 0] })), /d="M0.0 21.0L96.0 21.0"/);
    assert.match(
      drawn(Spark({ values: [2, 4], kind: "bars" })),
      /d="M0.0 21v-10.0h38.4V21zM48.0 21v-20/,
    );
  });

  test("a chip says why a message waits, and until when", () => {
    const said = (reason: string, endsAt: number | null): string =>
      words(Chip({ state: "CREATED", waiting: { reason, endsAt } }));
    assert.equal(words(Chip({ state: "CREATED" })), "Waiting");
    assert.equal(said("delay", NOON + 90_000), "Due in 1 min");
    assert.equal(said("delay", NOON), "Due now");
    assert.equal(said("retry", NOON + 5_000), "Retry in 5 s");
    assert.equal(said("queue-full", null), "Queue full");
    assert.equal(words(Chip({ state: "A_NEW_STATE" })), "A_NEW_STATE");
  });

  test("one mark for each attempt: failed, delivered, being sent, not yet made", () => {
    assert.equal(marks({ attempts: 0, state: "CREATED" }), "---- 0/4");
    assert.equal(marks({ attempts: 1, state: "ACTIVE" }), "el-- 2/4");
    assert.equal(marks({ attempts: 2, state: "RETRY" }), "ee-- 2/4");
    assert.equal(marks({ attempts: 3, state: "DELIVERED" }), "eed 3/4");
    assert.equal(marks({ attempts: 4, state: "FAILED" }), "eeee 4/4");
    assert.equal(marks({ attempts: 0, state: "CANCELED" }), "s 0/4");
    assert.equal(marks({ attempts: 9, attemptsMax: 12, state: "FAILED" }), "eeeeee 9/12");
    assert.equal(marks({ attempts: null, state: "RETRY" }), " of 4");
  });

  test("the pace of the day says when its limit is reached, and equal limits are one row", () => {
    assert.match(day(400, 1_000, 1_000), /is not reached/);
    assert.match(day(600, 1_000, 1_000), /reached at 20:00 UTC/);
    assert.match(day(1_000, 1_000, 1_000), /is reached: publishing is refused/);
    assert.match(day(0, 1_000, 1_000), /is not reached/);
    assert.doesNotMatch(day(1, 1_000, 1_000), /at most/);
    assert.match(day(1, 500, 1_000), /Messages today, at most/);
    assert.doesNotMatch(day(1, null, null), /pace/);
  });
});

/** What is drawn for the attempts of a row, and its words. */
function marks(facts: Partial<MessageRow>): string {
  const { cell } = messageColumns([]).find(({ head }) => head === "Attempts")!;
  const shown = drawn(cell({ attemptsMax: 4, error: null, ...facts } as MessageRow));
  const classes = [...shown.matchAll(/<i class="(.?)"/g)].map(([, mark]) => mark || "-");
  return `${classes.join("")} ${shown.replaceAll(/<[^>]*>/g, "")}`;
}

/** What is said at noon, of the messages of the day. */
function day(used: number, soft: number | null, max: number | null): string {
  return words(
    UsageCard({
      account: {
        usage: [
          { limit: "max_requests_per_day", used, max: soft, says: "" },
          { limit: "max_requests_per_day_hard", used, max, says: "" },
        ],
      },
    }),
  );
}
