import assert from "node:assert/strict";
import { test } from "node:test";

import { Cron as Croner } from "croner";

import { Problem } from "../../problem.ts";
import { nextInstants, readCron } from "./cron.ts";

const NEW_YEAR = Date.UTC(2026, 0, 1);

test("an expression fires at the minutes that it names", () => {
  for (const [cron, first] of [
    ["*/5 * * * *", "2026-01-01T00:05"],
    ["5/15 * * * *", "2026-01-01T00:05"],
    ["0 9 * * MON-fri", "2026-01-01T09:00"],
    ["0 0 * * 7", "2026-01-04T00:00"],
    ["0 0 * * 5-7", "2026-01-02T00:00"],
    ["0 0 ? jan,MAR ?", "2026-01-02T00:00"],
    ["15,45 8-10/2 * * *", "2026-01-01T08:15"],
    ["  0   12 1\t6 *  ", "2026-06-01T12:00"],
    ["@hourly", "2026-01-01T01:00"],
    ["@Daily", "2026-01-02T00:00"],
    ["@midnight", "2026-01-02T00:00"],
    ["@weekly", "2026-01-04T00:00"],
    ["@monthly", "2026-02-01T00:00"],
    ["@yearly", "2027-01-01T00:00"],
    ["@annually", "2027-01-01T00:00"],
    ["0 0 29 2 *", "2028-02-29T00:00"],
    ["0 0 31 * *", "2026-01-31T00:00"],
    ["CRON_TZ=Asia/Kolkata 0 0 * * *", "2026-01-01T18:30"],
    ["CRON_TZ=europe/berlin @daily", "2026-01-01T23:00"],
    ["CRON_TZ=US/Pacific 0 0 1 * *", "2026-01-01T08:00"],
    ["CRON_TZ=Etc/GMT+5 0 0 * * *", "2026-01-01T05:00"],
  ] as const) {
    assert.equal(readCron(cron).next(NEW_YEAR), Date.parse(`${first}Z`), cron);
  }
});

/** The minutes of the first hour of the year. */
function minutesOf(field: string): number[] {
  const found = nextInstants(readCron(`${field} 0 1 1 *`), NEW_YEAR - 1, 60);
  return found.filter((at) => at < NEW_YEAR + 3_600_000).map((at) => (at - NEW_YEAR) / 60_000);
}

test("a step without an end goes on to the end of its field, and one with an end does not", () => {
  assert.deepEqual(minutesOf("40/7"), [40, 47, 54]);
  assert.deepEqual(minutesOf("40-50/7"), [40, 47]);
  assert.deepEqual(minutesOf("*/20"), [0, 20, 40]);
  assert.deepEqual(minutesOf("40"), [40]);
  assert.deepEqual(minutesOf("40-42"), [40, 41, 42]);
});

test("day of month and day of week: either suffices when both are restricted", () => {
  assert.deepEqual(daysOf("0 0 13 * 5"), [2, 9, 13, 16, 23, 30]);
  assert.deepEqual(daysOf("0 0 13 * *"), [13, 13, 13, 13, 13, 13]);
  assert.deepEqual(daysOf("0 0 * * 5"), [2, 9, 16, 23, 30, 6]);
  assert.deepEqual(daysOf("0 0 */1 * 5"), [2, 9, 16, 23, 30, 6]);
  assert.deepEqual(daysOf("0 0 */10 * 5"), [2, 9, 11, 16, 21, 23]);
});

test("the 29th of February is found over a century without a leap day", () => {
  const after = Date.UTC(2096, 2, 2);
  assert.equal(readCron("0 0 29 2 *").next(after), Date.UTC(2104, 1, 29));
  const far = readCron("CRON_TZ=America/New_York */7 * 29 2 *").next(after);
  assert.equal(far, Date.UTC(2104, 1, 29, 5));
});

test("@every fires at whole multiples of its period since 1970, on every node the same", () => {
  const at = NEW_YEAR + 61_000;
  assert.equal(readCron("@every 5m").next(at), NEW_YEAR + 300_000);
  assert.equal(readCron("@every 5m").next(NEW_YEAR + 300_000), NEW_YEAR + 600_000);
  assert.equal(readCron("@every 1h30m").next(NEW_YEAR), NEW_YEAR + 5_400_000);
});

test("a daily entry runs once on the days of a clock change", () => {
  const berlin = "CRON_TZ=Europe/Berlin 30 2 * * *";
  assert.deepEqual(shown(berlin, "2026-03-28T00:00Z", 3), [
    "2026-03-28T01:30Z",
    "2026-03-29T01:00Z",
    "2026-03-30T00:30Z",
  ]);
  assert.deepEqual(shown(berlin, "2026-10-24T12:00Z", 2), [
    "2026-10-25T00:30Z",
    "2026-10-26T01:30Z",
  ]);
});

test("a daily entry runs at the end of a gap that begins at midnight", () => {
  const saoPaulo = "CRON_TZ=America/Sao_Paulo 30 0 * * *";
  assert.deepEqual(shown(saoPaulo, "2018-11-03T04:00Z", 2), [
    "2018-11-04T03:00Z",
    "2018-11-05T02:30Z",
  ]);
});

test("any other entry follows the wall clock: what is repeated repeats, what is missing is missed", () => {
  const berlin = "CRON_TZ=Europe/Berlin */30 2 * * *";
  assert.deepEqual(shown(berlin, "2026-03-28T02:00Z", 2), [
    "2026-03-30T00:00Z",
    "2026-03-30T00:30Z",
  ]);
  assert.deepEqual(shown(berlin, "2026-10-24T12:00Z", 5), [
    "2026-10-25T00:00Z",
    "2026-10-25T00:30Z",
    "2026-10-25T01:00Z",
    "2026-10-25T01:30Z",
    "2026-10-26T01:00Z",
  ]);
});

test("a date that a zone left out has no run", () => {
  assert.deepEqual(shown("CRON_TZ=Pacific/Apia 30 2 * * *", "2011-12-29T00:00Z", 3), [
    "2011-12-29T12:30Z",
    "2011-12-30T12:30Z",
    "2011-12-31T12:30Z",
  ]);
});

test("in UTC the instants are those that another implementation finds", () => {
  for (const cron of [
    "* * * * *",
    "*/7 */5 * * *",
    "0 0 13 * 5",
    "59 23 28-31 * *",
    "0 0 29 2 *",
    "3,1,2 4-6 1-7 jan-dec/5 0,6",
    "0 12 * 2 mon",
  ]) {
    const croner = new Croner(cron, { timezone: "UTC", mode: "5-part" });
    const theirs = croner.nextRuns(200, new Date(NEW_YEAR)).map((date) => date.getTime());
    assert.deepEqual(instants(cron, NEW_YEAR, 200), theirs, cron);
  }
});

test("an expression is read once", () => {
  const cron = readCron("1 2 3 4 *");
  readCron("2 3 4 5 *");
  assert.equal(readCron("1 2 3 4 *"), cron);
});

test("the next instants are as many as are asked for, and none after the last", () => {
  const hourly = readCron("@hourly");
  assert.deepEqual(nextInstants(hourly, NEW_YEAR, 0), []);
  assert.deepEqual(
    nextInstants(hourly, NEW_YEAR, 2),
    [1, 2].map((hours) => NEW_YEAR + hours * 3_600_000),
  );
  const ending = { next: (after: number) => (after < 3 ? after + 1 : null) };
  assert.deepEqual(nextInstants(ending, 1, 9), [2, 3]);
});

test("@every may be a minute or 366 days", () => {
  assert.equal(readCron("@every 1m").next(0), 60_000);
  assert.equal(readCron("@every 366d").next(0), 366 * 86_400_000);
  assert.throws(() => readCron("@every 366d1m"), /at most 366 days/);
});

test("what is not in the dialect is refused, and the sentence says why", () => {
  for (const [cron, reason] of [
    ["", /^is empty/],
    ["CRON_TZ=UTC", /^is empty/],
    ["* * * *", /^has 4 fields/],
    ["0 * * * * *", /^has 6 fields; seconds and years are not supported/],
    ["TZ=UTC * * * * *", /^"tz=utc" is no field; a time zone is given as CRON_TZ=<name>$/],
    ["cron_tz=UTC 0 0 * * *", /CRON_TZ=<name>$/],
    ["0 0 L * *", /L, W and # are not supported/],
    ["0 0 15W * *", /L, W and #/],
    ["0 0 * * 5#2", /L, W and #/],
    ["@every 59s", /at least a minute/],
    ["@every 90s", /whole minutes/],
    ["@every 400d", /at most 366 days/],
    ["@every", /duration/],
    ["CRON_TZ=UTC @every 5m", /no time zone/],
    [
      "@reboot",
      /^"@reboot" is unknown; .* one of @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly$/,
    ],
    ["0 0 30 2 *", /never fires/],
    ["0 0 31 2,4,6,9,11 *", /never fires/],
    ["60 * * * *", /^minute: 60 is not between 0 and 59/],
    ["* 24 * * *", /^hour: 24/],
    ["* * 0 * *", /^day of month: 0 is not between 1 and 31/],
    ["* * * 13 *", /^month: 13/],
    ["* * * * 8", /^day of week: 8 is not between 0 and 7/],
    ["*/0 * * * *", /^minute: the step 0/],
    ["*/61 * * * *", /^minute: the step 61/],
    ["5-1 * * * *", /ends before it begins/],
    ["1,,2 * * * *", /^minute: ""/],
    ["*-5 * * * *", /^minute/],
    ["-1 * * * *", /^minute/],
    ["1.5 * * * *", /^minute/],
    ["jan * * * *", /^minute/],
    ["0 0 * __proto__ *", /^month/],
    ["0 0 * * foo", /^day of week: "foo" is not a value, range or step such as/],
    ["0 0 1-31-31 * *", /^day of month: "1-31-31" is not a value/],
    [`0 0 * * ${"a".repeat(41)}`, /^day of week: "a{40}\.\.\." is not/],
    [`0 0 * * ${"a".repeat(40)}`, /^day of week: "a{40}" is not/],
    ["CRON_TZ= 0 0 * * *", /^CRON_TZ/],
    ["CRON_TZ=Mars/Olympus 0 0 * * *", /^CRON_TZ: "Mars\/Olympus" is not an IANA time zone/],
    ["CRON_TZ=+05:30 0 0 * * *", /^CRON_TZ/],
    ["CRON_TZ=Local 0 0 * * *", /^CRON_TZ/],
    [`${"0,".repeat(300)}0 * * * *`, /longer than 512/],
  ] as const) {
    const refused = (error: unknown): boolean =>
      error instanceof Problem && error.kind === "invalid-request" && reason.test(error.message);
    assert.throws(() => readCron(cron), refused, cron);
  }
});

function instants(cron: string, after: number, count: number): number[] {
  const found: number[] = [];
  let at: number | null = after;
  while (found.length < count) {
    at = readCron(cron).next(at);
    assert.ok(at !== null);
    found.push(at);
  }
  return found;
}

function shown(cron: string, after: string, count: number): string[] {
  return instants(cron, Date.parse(after), count).map(
    (at) => `${new Date(at).toISOString().slice(0, 16)}Z`,
  );
}

function daysOf(cron: string): number[] {
  return instants(cron, NEW_YEAR, 6).map((at) => new Date(at).getUTCDate());
}
