import { parseDuration } from "../../core/policy/retry/duration.ts";
import { naming, parsePositiveInteger, refusal, shownName } from "../headers/header-value.ts";
import { decodeQueryText, readQuery } from "../filters/query.ts";

/** How much longer the replaced tokens are accepted; 0 by default. */
export function readGraceMs(query: string): number {
  const { grace } = readSingles(query, ["grace"]);
  if (grace === undefined) return 0;
  const graceMs = naming("grace", () => parseDuration(grace));
  if (graceMs > GRACE_MS_MAX) throw refusal("grace: is longer than 7d");
  return graceMs;
}

export interface AccountPage {
  readonly after: string;
  readonly count: number;
}

export function readAccountPage(query: string): AccountPage {
  const { after = "", count } = readSingles(query, ["after", "count"]);
  if (after !== "" && !/^[A-Za-z0-9._-]{1,128}$/.test(after)) {
    throw refusal("after: is not the id of an account");
  }
  if (count === undefined) return { after, count: ACCOUNTS_MAX };
  const asked = naming("count", () => parsePositiveInteger(count));
  if (asked > ACCOUNTS_MAX) throw refusal(`count: is more than ${ACCOUNTS_MAX}`);
  return { after, count: asked };
}

/** How far back statistics go. */
export interface StatsPeriod {
  readonly name: string;
  readonly periodMs: number;
}

export function readStatsPeriod(query: string): StatsPeriod {
  const { period = "1d" } = readSingles(query, ["period"]);
  if (!PERIODS.includes(period)) throw refusal(`period: must be one of ${PERIODS.join(", ")}`);
  return { name: period, periodMs: parseDuration(period) };
}

/** Parameters that may each occur once; any other is refused. */
function readSingles<Name extends string>(
  query: string,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const found = new Map<Name, string>();
  for (const { name, rawValue } of readQuery(query)) {
    const known = names.find((each) => each === name);
    if (known === undefined) throw refusal(`${shownName(name)}: is not a parameter of this call`);
    if (found.has(known)) throw refusal(`${known}: is given twice`);
    found.set(known, decodeQueryText(rawValue, name));
  }
  return Object.fromEntries(found) as Partial<Record<Name, string>>;
}

const GRACE_MS_MAX = 7 * 86_400_000;
const ACCOUNTS_MAX = 1_000;
const PERIODS: readonly string[] = ["1h", "3h", "12h", "1d", "3d", "7d", "30d"];
