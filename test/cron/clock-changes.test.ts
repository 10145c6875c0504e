/**
 * Cron around the clock changes of 2015 to 2037, held against brute force. A run takes a seeded sample;
 * CLOCK_CHANGES=all, as `npm run prove` has it, takes every change of every zone; POSTRIDER_SEED
 * draws another sample.
 */
import assert from "node:assert/strict";
import { test } from "node:test";

import { readCron } from "../../src/core/policy/cron/cron.ts";
import { Chance } from "../simulation/chance.ts";
import { firings, MEANINGS, wallClock } from "./reference.ts";

const HOUR_MS = 3_600_000;
const FROM = Date.UTC(2015, 0, 1);
const UNTIL = Date.UTC(2038, 0, 1);
const PROBE_MS = 6 * HOUR_MS;
/** Around a change: a whole date before it and one after, in any zone. */
const AROUND_MS = 26 * HOUR_MS;
const SAMPLED_ZONES = 25;
const CHANGES_PER_ZONE = 3;
/** Half an hour, midnight, two hours, twice a year around Ramadan, a change of the zone itself. */
const ODD_ZONES = [
  "Australia/Lord_Howe",
  "America/Sao_Paulo",
  "America/Havana",
  "Antarctica/Troll",
  "Africa/Casablanca",
  "Pacific/Chatham",
  "Asia/Pyongyang",
  "Africa/Juba",
  "Europe/Volgograd",
];

const everyZone = Intl.supportedValuesOf("timeZone");
const isWhole = process.env["CLOCK_CHANGES"] === "all";
const seed = Number(process.env["POSTRIDER_SEED"] ?? 1);
const chance = new Chance(seed);
const zones = isWhole ? everyZone : [...ODD_ZONES, ...sample(everyZone, SAMPLED_ZONES)];

const name = isWhole
  ? "around every clock change of every zone cron agrees with brute force"
  : `around sampled clock changes cron agrees with brute force, seed ${seed}`;
test(name, (t) => {
  let looked = 0;
  for (const zone of zones) {
    const changes = changesOf(zone);
    for (const change of isWhole ? changes : sample(changes, CHANGES_PER_ZONE)) {
      compareAround(zone, change);
      looked += 1;
    }
  }
  assert.ok(looked >= zones.length);
  t.diagnostic(`${looked} changes in ${zones.length} zones, ${MEANINGS.length} expressions`);
});

/** Where the offset differs from six hours before; a zone that never changes is looked at once. */
function changesOf(zone: string): number[] {
  const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  const offsetAt = (at: number): string => format.format(at).split(" ")[1]!;
  const changes: number[] = [];
  let before = offsetAt(FROM);
  for (let at = FROM; at < UNTIL; at += PROBE_MS) {
    const offset = offsetAt(at);
    if (offset !== before) changes.push(at);
    before = offset;
  }
  return changes.length > 0 ? changes : [Date.UTC(2026, 2, 29)];
}

function compareAround(zone: string, change: number): void {
  const from = change - PROBE_MS - AROUND_MS;
  const walls = wallClock(zone, from, (2 * AROUND_MS + PROBE_MS) / 60_000);
  const until = from + (walls.length - 1) * 60_000;
  for (const meaning of MEANINGS) {
    const cron = readCron(`CRON_TZ=${zone} ${meaning.cron}`);
    const found: number[] = [];
    for (let at = cron.next(from); at !== null && at <= until; at = cron.next(at)) found.push(at);
    const around = `${zone} ${meaning.cron} around ${new Date(change).toISOString()}`;
    assert.deepEqual(found, firings(meaning, from, walls), around);
  }
}

function sample<T>(all: readonly T[], count: number): T[] {
  const left = [...all];
  const taken: T[] = [];
  while (taken.length < count && left.length > 0) {
    taken.push(...left.splice(chance.below(left.length), 1));
  }
  return taken;
}
