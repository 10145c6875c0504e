/** What the dashboard says of a schedule: its expression in words, its clocks, and their changes. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { nextInstants, readCron } from "../../src/core/policy/cron/cron.ts";
import { parseCron } from "../../src/core/policy/cron/cron-grammar.ts";
import { readCronFields } from "../../dashboard/src/schedule/cron-fields.ts";
import { changeText } from "../../dashboard/src/schedule/clock-changes.ts";
import { cronWords } from "../../dashboard/src/schedule/cron-words.ts";
import { dashboardModule } from "../support/dashboard-modules.ts";
import {
  nextChange,
  offsetText,
  placeOf,
  splitZone,
  wallText,
  withZone,
} from "../../dashboard/src/schedule/zone.ts";

const { gapText } = await dashboardModule<{
  gapText: (before: number, at: number, zone: string) => string;
}>("schedule/next-times.tsx");

test("days across a change of clocks are those of the calendar", () => {
  const week = [Date.UTC(2026, 2, 23, 8), Date.UTC(2026, 2, 30, 7)] as const;
  assert.equal(gapText(...week, "Europe/Berlin"), "7 days");
  assert.equal(gapText(...week, "UTC"), "6 days");
  // A day of 23 hours can be seen.
  assert.equal(
    gapText(Date.UTC(2026, 2, 28, 8), Date.UTC(2026, 2, 29, 7), "Europe/Berlin"),
    "23 h",
  );
});

describe("a cron expression in words", () => {
  const words: Record<string, string | null> = {
    "* * * * *": "Every minute",
    "*/5 * * * *": "Every 5 minutes",
    "0 * * * *": "Every hour",
    "15 * * * *": "At minute 15 of every hour",
    "5,35 * * * *": "At minutes 5 and 35 of every hour",
    "*/7 * * * *": "At minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56 of every hour",
    "0 */6 * * *": "Every 6 hours",
    "30 */6 * * *": "Every 6 hours at minute 30",
    "0 9 * * *": "At 09:00 every day",
    "CRON_TZ=Europe/Berlin 0 9 * * *": "At 09:00 every day",
    "0 9,17 * * *": "At 09:00 and 17:00 every day",
    "0 9 * * MON-FRI": "At 09:00 on weekdays",
    "0 9 * * 0,6": "At 09:00 on weekends",
    "30 8 * * WED,MON": "At 08:30 on Monday and Wednesday",
    "30 8 * * 7,1": "At 08:30 on Monday and Sunday",
    "0 9 * * 2-5": "At 09:00 from Tuesday to Friday",
    "*/15 8-17 * * 1-5": "Every 15 minutes from 08:00 to 17:45 on weekdays",
    "* 3 * * *": "Every minute from 03:00 to 03:59 every day",
    "30 8-17 * * *": "Every hour from 08:30 to 17:30 every day",
    "0 6 1 * *": "At 06:00 on day 1 of every month",
    "0 6 1,15 * *": "At 06:00 on days 1 and 15 of every month",
    "0 6 1-7 * *": "At 06:00 on days 1 to 7 of every month",
    "0 0 1 1 *": "At 00:00 on 1 January",
    "0 9 * 12 *": "At 09:00 every day in December",
    "*/5 * * 6-7 *": "Every 5 minutes in June and July",
    "0 0 13 * 5": "At 00:00 on day 13 of every month, and on Friday",
    "@daily": "At 00:00 every day",
    "@hourly": "Every hour",
    "@every 90m": "Every 1 h 30 min",
    "0 9 * *": null,
    "61 9 * * *": null,
    "": null,
  };
  for (const [cron, expected] of Object.entries(words)) {
    test(cron || "nothing", () => assert.equal(cronWords(cron), expected));
  }

  test("days that are a star with a step are not left out", () => {
    assert.match(cronWords("0 9 */10 * *") ?? "", /on days 1, 11, 21 and 31 of every month/);
  });
});

test("the fields are read as the server reads them", () => {
  for (const cron of [
    "* * * * *",
    "*/7 */5 */10 */3 */2",
    "5/15 3/4 2/9 2/5 1/3",
    "1-5,10,20-40/10 8-17 1,15 JAN-MAR,dec MON,3-5",
    "0 0 ? * 5-7",
    "0 0 13 * 0,7",
    "0 0 */1 * 7",
    "CRON_TZ=Asia/Tokyo 30 2 * * SUN",
    "@weekly",
    "@yearly",
    "@every 1d2h30m",
  ]) {
    const { zone: _, ...expected } = parseCron(cron) as unknown as Record<string, unknown>;
    assert.deepEqual(readCronFields(cron), expected, cron);
  }
  for (const cron of [
    "* * * *",
    "60 * * * *",
    "5-1 * * * *",
    "a * * * *",
    "*/0 * * * *",
    "@often",
  ]) {
    assert.throws(() => parseCron(cron));
    assert.equal(readCronFields(cron), null, cron);
  }
});

describe("time zones", () => {
  test("a cron expression and its zone", () => {
    assert.deepEqual(splitZone("CRON_TZ=Asia/Tokyo 0 9 * * *"), {
      zone: "Asia/Tokyo",
      fields: "0 9 * * *",
    });
    assert.deepEqual(splitZone("0 9 * * *"), { zone: "UTC", fields: "0 9 * * *" });
    assert.equal(withZone("Asia/Tokyo", "0 9 * * *"), "CRON_TZ=Asia/Tokyo 0 9 * * *");
    assert.equal(withZone("UTC", "0 9 * * *"), "0 9 * * *");
    assert.equal(withZone("Asia/Tokyo", "@every 5m"), "@every 5m");
  });

  test("what a clock shows there", () => {
    const at = Date.UTC(2026, 9, 23, 7, 0);
    assert.equal(wallText(at, "Europe/Berlin", at), "Fri 23 Oct, 09:00");
    assert.equal(wallText(at, "America/New_York", at), "Fri 23 Oct, 03:00");
    assert.equal(wallText(Date.UTC(2027, 8, 1), "UTC", at), "Wed 1 Sep 2027, 00:00");
    assert.equal(placeOf("America/Argentina/Buenos_Aires"), "Buenos Aires");
    assert.equal(placeOf("Etc/UTC"), "UTC");
    assert.equal(offsetText(at, "Europe/Berlin"), "UTC+2");
    assert.equal(offsetText(at, "America/St_Johns"), "UTC−2:30");
  });

  test("clocks change at the instant that the zone says, and never in UTC", () => {
    const from = Date.UTC(2026, 9, 20);
    const until = Date.UTC(2027, 5, 1);
    assert.deepEqual(nextChange(from, until, "Europe/Berlin"), {
      at: Date.UTC(2026, 9, 25, 1),
      fromMs: 7_200_000,
      toMs: 3_600_000,
    });
    assert.equal(nextChange(from, until, "UTC"), null);
    assert.equal(nextChange(from, Date.UTC(2026, 9, 25), "Europe/Berlin"), null);
  });
});

describe("what a change of the clocks does", () => {
  const now = Date.UTC(2026, 0, 1);
  const back = nextChange(Date.UTC(2026, 9, 20), Date.UTC(2026, 10, 1), "Europe/Berlin")!;
  const forward = nextChange(Date.UTC(2026, 2, 20), Date.UTC(2026, 3, 1), "Europe/Berlin")!;

  test("says what happens on both days", () => {
    const says = (fields: string, change: typeof back) => changeText(berlin(fields), change, now);
    assert.equal(
      says("0 9 * * *", back),
      "Clocks go back in Berlin on Sun 25 Oct at 03:00. It still runs at 09:00 there.",
    );
    assert.equal(
      says("30 2 * * *", back),
      "Clocks go back in Berlin on Sun 25 Oct at 03:00. 02:30 comes twice that day; it runs once, the first time.",
    );
    assert.equal(
      says("30 2 * * *", forward),
      "Clocks go forward in Berlin on Sun 29 Mar at 02:00. 02:30 does not exist that day; it runs at 03:00 instead.",
    );
    assert.match(says("*/30 2 * * *", forward), /does not exist that day; it does not run then\.$/);
    assert.match(says("*/30 2 * * *", back), /comes twice; it runs both times\.$/);
    assert.match(says("30 2 * * MON", forward), /It still runs at 02:30 there\.$/);
  });

  test("and the server does so", () => {
    assert.deepEqual(berlinClocks("30 2 * * *", Date.UTC(2026, 2, 28, 12), 2), [
      "Sun 29 Mar, 03:00",
      "Mon 30 Mar, 02:30",
    ]);
    assert.deepEqual(berlinClocks("30 2 * * *", Date.UTC(2026, 9, 24, 12), 2), [
      "Sun 25 Oct, 02:30",
      "Mon 26 Oct, 02:30",
    ]);
    assert.deepEqual(berlinClocks("*/30 2 * * *", Date.UTC(2026, 9, 24, 12), 4), [
      "Sun 25 Oct, 02:00",
      "Sun 25 Oct, 02:30",
      "Sun 25 Oct, 02:00",
      "Sun 25 Oct, 02:30",
    ]);
    assert.deepEqual(berlinClocks("*/30 2 * * *", Date.UTC(2026, 2, 28, 12), 1), [
      "Mon 30 Mar, 02:00",
    ]);
  });
});

function berlin(fields: string): string {
  return `CRON_TZ=Europe/Berlin ${fields}`;
}

/** When the server would run it, as clocks in Berlin show it. */
function berlinClocks(fields: string, from: number, count: number): string[] {
  const instants = nextInstants(readCron(berlin(fields)), from, count);
  return instants.map((at) => wallText(at, "Europe/Berlin", from));
}
