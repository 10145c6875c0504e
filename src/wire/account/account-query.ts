import { parseDuration } from "../../core/policy/retry/duration.ts";
import {
  prefixErrors,
  parsePositiveInteger,
  invalidRequest,
  shownName,
} from "../headers/header-value.ts";
import { type ParameterRow, single } from "../filters/filter-parameters.ts";
import { decodeQueryText, readQuery } from "../filters/query.ts";
import { choice, text, integer } from "../json/schema.ts";

/** How much longer the replaced tokens are accepted; 0 by default. */
export function readGraceMs(query: string): number {
  const { grace } = readSingles(query, GRACE_ROWS);
  if (grace === undefined) return 0;
  const graceMs = prefixErrors("grace", () => parseDuration(grace));
  if (graceMs > GRACE_MS_MAX) throw invalidRequest("grace: is longer than 7d");
  return graceMs;
}

export interface AccountPage {
  readonly after: string;
  readonly count: number;
}

export function readAccountPage(query: string): AccountPage {
  const { after = "", count } = readSingles(query, ACCOUNT_PAGE_ROWS);
  if (after !== "" && !/^[A-Za-z0-9._-]{1,128}$/.test(after)) {
    throw invalidRequest("after: is not the id of an account");
  }
  if (count === undefined) return { after, count: ACCOUNTS_MAX };
  const asked = prefixErrors("count", () => parsePositiveInteger(count));
  if (asked > ACCOUNTS_MAX) throw invalidRequest(`count: is more than ${ACCOUNTS_MAX}`);
  return { after, count: asked };
}

/** How far back statistics go. */
export interface StatsPeriod {
  readonly name: string;
  readonly periodMs: number;
}

export function readStatsPeriod(query: string): StatsPeriod {
  const { period = "1d" } = readSingles(query, PERIOD_ROWS);
  if (!PERIODS.includes(period))
    throw invalidRequest(`period: must be one of ${PERIODS.join(", ")}`);
  return { name: period, periodMs: parseDuration(period) };
}

/** Parameters that may each occur once; any other is refused. */
function readSingles(query: string, rows: readonly ParameterRow[]): Partial<Singles> {
  const found = new Map<string, string>();
  for (const { name, rawValue } of readQuery(query)) {
    const isKnown = rows.some((row) => row.name === name);
    if (!isKnown) throw invalidRequest(`${shownName(name)}: is not a parameter of this call`);
    if (found.has(name)) throw invalidRequest(`${name}: is given twice`);
    found.set(name, decodeQueryText(rawValue, name));
  }
  return Object.fromEntries(found);
}

type Singles = Readonly<Record<"grace" | "after" | "count" | "period", string>>;

const GRACE_MS_MAX = 7 * 86_400_000;
const ACCOUNTS_MAX = 1_000;
const PERIODS: readonly string[] = ["1h", "3h", "12h", "1d", "3d", "7d", "30d"];
export const GRACE_ROWS = [
  single("grace", "How long the old tokens stay valid, at most 7d.", text(undefined, "10m")),
];
export const ACCOUNT_PAGE_ROWS = [
  single("after", "The last id of the page before."),
  single("count", "How many at most.", integer()),
];
export const PERIOD_ROWS = [single("period", "How far back. Default: 1d.", choice(PERIODS))];
