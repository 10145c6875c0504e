import type { FlowControl } from "../../core/model/message/message.ts";
import { parseDuration } from "../../core/policy/retry/duration.ts";
import {
  cleanValue,
  invalidRequest,
  parseBoolean,
  parseName,
  parsePositiveInteger,
  prefixErrors,
  trimBlanks,
} from "../headers/header-value.ts";
import { decodeQueryText, readParameters, single } from "../filters/filter-parameters.ts";
import { flag, integer, list, object, text, type TypeOf } from "../json/schema.ts";

export const FLOW_CONTROL_KEY = object("FlowControlKey", {
  flowControlKey: text("The key.", "tenant-7"),
  waitListSize: integer("Messages that wait.", 120),
  parallelismMax: integer("Attempts at once; 0 for no limit.", 5),
  parallelismCount: integer("Attempts in progress.", 5),
  rateMax: integer("Attempts that may start in a period; 0 for no limit.", 100),
  rateCount: integer("Attempts that started in this period.", 64),
  ratePeriod: integer("The period, in seconds.", 60),
  ratePeriodStart: integer("When the period began. Unix seconds.", 1_767_225_600),
  isPaused: flag("No message under it starts.", false),
  isPinnedParallelism: flag("Messages do not change the parallelism.", false),
  isPinnedRate: flag("Messages do not change the rate.", false),
});

export const FLOW_CONTROL_KEYS = list(FLOW_CONTROL_KEY);

export const GLOBAL_PARALLELISM = object("GlobalParallelism", {
  parallelismMax: integer("Attempts at once; 0 for no limit.", 100),
  parallelismCount: integer("Attempts in progress.", 3),
});

export type ShownFlowControlKey = TypeOf<typeof FLOW_CONTROL_KEY>;

/** Limits to pin; an absent one stays unchanged. */
export interface PinRequest {
  readonly parallelism?: number | undefined;
  readonly rate?: { readonly rate: number; readonly periodMs: number } | undefined;
}

export interface UnpinRequest {
  readonly parallelism: boolean;
  readonly rate: boolean;
}

const NAME = "flowControlKey";
const PERIOD_SECONDS_DEFAULT = 1;

/** The key from the path. It is the text of a header: what no header can hold is refused. */
export function parseFlowControlKey(raw: string): string {
  return prefixErrors(NAME, () => {
    const key = decodePathText(raw);
    if (cleanValue(key) !== key) throw invalidRequest("has blanks around it");
    return parseName(key);
  });
}

/** Reads `parallelism`, `rate` and `period` in seconds, with at least one limit. */
export function readPin(query: string): PinRequest {
  const { parallelism, rate, period } = readParameters(query, PIN_ROWS);
  if (parallelism === undefined && rate === undefined) {
    throw invalidRequest("parallelism or rate must be given");
  }
  if (rate === undefined && period !== undefined) {
    throw invalidRequest("period: is of no use without rate");
  }
  const periodMs = (period ?? PERIOD_SECONDS_DEFAULT) * 1_000;
  prefixErrors("period", () => requirePeriod(periodMs));
  return { parallelism, rate: rate === undefined ? undefined : { rate, periodMs } };
}

/** Reads `parallelism=true` and `rate=true`; an absent one stays pinned. */
export function readUnpin(query: string): UnpinRequest {
  return { parallelism: false, rate: false, ...readParameters(query, UNPIN_ROWS) };
}

/** A part of the wanted names; null for all. */
export function readSearch(query: string): string | null {
  return readParameters(query, SEARCH_ROWS, "lenient").search ?? null;
}

/** In a path a plus is a plus. */
function decodePathText(raw: string): string {
  return decodeQueryText(raw.replaceAll("+", "%2B"), NAME);
}

export const SEARCH_ROWS = [single("search", "A part of the name.")];
export const PIN_ROWS = [
  single("parallelism", "Attempts at once.", integer(), parseLimit),
  single("rate", "Attempts that may start in a period.", integer(), parseLimit),
  single("period", "The period of the rate, in seconds. Default: 1.", integer(), parseLimit),
];
export const UNPIN_ROWS = [
  single("parallelism", "With `true`, messages set the parallelism again.", flag(), parseBoolean),
  single("rate", "With `true`, messages set the rate again.", flag(), parseBoolean),
];

export type FlowControlLimits = Omit<FlowControl, "key">;

const PERIOD_MS_DEFAULT = 1_000;
const PERIOD_MS_MAX = 7 * 86_400_000;
/** The largest integer of both databases. */
const LIMIT_MAX = 2_147_483_647;

type Setting = "parallelism" | "rate" | "period";

/** Reads `parallelism=<n>, rate=<n>, period=<duration>` in any order, with at least one limit. */
export function parseFlowControl(given: string): FlowControlLimits {
  const settings = readSettings(given);
  const { parallelism, rate, period } = settings;
  if (parallelism === undefined && rate === undefined) {
    throw invalidRequest("must give parallelism or rate");
  }
  return { parallelism, rate, periodMs: period ?? PERIOD_MS_DEFAULT };
}

const SETTINGS: ReadonlyMap<string, Setting> = new Map([
  ["parallelism", "parallelism"],
  ["rate", "rate"],
  ["period", "period"],
]);

function readSettings(given: string): Partial<Record<Setting, number>> {
  const settings: Partial<Record<Setting, number>> = {};
  for (const pair of given.split(",", SETTINGS.size + 1)) {
    const equalsAt = pair.indexOf("=");
    const name = SETTINGS.get(trimBlanks(pair.slice(0, Math.max(equalsAt, 0))).toLowerCase());
    if (name === undefined) {
      throw invalidRequest("must be a list of parallelism=<n>, rate=<n> and period=<duration>");
    }
    if (settings[name] !== undefined) throw invalidRequest(`gives ${name} twice`);
    const value = trimBlanks(pair.slice(equalsAt + 1));
    settings[name] = prefixErrors(name, () =>
      name === "period" ? parsePeriod(value) : parseLimit(value),
    );
  }
  return settings;
}

function parsePeriod(given: string): number {
  const periodMs = parseDuration(given);
  if (periodMs === 0) throw invalidRequest("must be at least 1s");
  requirePeriod(periodMs);
  return periodMs;
}

/** A limit of a key: attempts in progress, or starts in a period. */
function parseLimit(given: string): number {
  const value = parsePositiveInteger(given);
  if (value > LIMIT_MAX) throw invalidRequest(`must be at most ${LIMIT_MAX}`);
  return value;
}

function requirePeriod(periodMs: number): void {
  if (periodMs > PERIOD_MS_MAX) throw invalidRequest("is longer than a week");
}
