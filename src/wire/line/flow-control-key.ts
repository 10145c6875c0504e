import { parseLimit, requirePeriod } from "./flow-control.ts";
import {
  cleanValue,
  prefixErrors,
  parseBoolean,
  parseName,
  invalidRequest,
  shownName,
} from "../headers/header-value.ts";
import { decodeQueryText, readQuery } from "../filters/query.ts";
import { type ParameterRow, readParameters, single } from "../filters/filter-parameters.ts";
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

/**
 * The key from the path. It is the text of a header, so a text that no header can hold is refused.
 */
export function parseFlowControlKey(raw: string): string {
  return prefixErrors(NAME, () => {
    const key = decodePathText(raw);
    if (cleanValue(key) !== key) throw invalidRequest("has blanks around it");
    return parseName(key);
  });
}

/** Reads `parallelism`, `rate` and `period` in seconds, with at least one limit. */
export function readPin(query: string): PinRequest {
  const given = readOnce(query, PIN_ROWS);
  const read = (name: string): number | undefined => {
    const value = given.get(name);
    return value === undefined ? undefined : prefixErrors(name, () => parseLimit(value));
  };
  const [parallelism, rate, period] = [read("parallelism"), read("rate"), read("period")];
  if (parallelism === undefined && rate === undefined) {
    throw invalidRequest("parallelism or rate must be given");
  }
  if (rate === undefined && period !== undefined)
    throw invalidRequest("period: is of no use without rate");
  const periodMs = (period ?? PERIOD_SECONDS_DEFAULT) * 1_000;
  prefixErrors("period", () => requirePeriod(periodMs));
  return { parallelism, rate: rate === undefined ? undefined : { rate, periodMs } };
}

/** Reads `parallelism=true` and `rate=true`; an absent one stays pinned. */
export function readUnpin(query: string): UnpinRequest {
  const given = readOnce(query, UNPIN_ROWS);
  const read = (name: string): boolean =>
    prefixErrors(name, () => parseBoolean(given.get(name) ?? "false"));
  return { parallelism: read("parallelism"), rate: read("rate") };
}

/** A part of the wanted names; null for all. */
export function readSearch(query: string): string | null {
  readParameters(query, SEARCH_ROWS, "lenient");
  const given = readQuery(query).filter(({ name }) => name === "search");
  if (given.length > 1) throw invalidRequest("search: is given twice");
  const [search] = given;
  return search === undefined ? null : decodeQueryText(search.rawValue, "search") || null;
}

function readOnce(query: string, rows: readonly ParameterRow[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const { name, rawValue } of readQuery(query)) {
    if (!rows.some((row) => row.name === name))
      throw invalidRequest(`${shownName(name)}: is not a known parameter`);
    if (values.has(name)) throw invalidRequest(`${name}: is given twice`);
    values.set(
      name,
      prefixErrors(name, () => cleanValue(decodeQueryText(rawValue, name))),
    );
  }
  return values;
}

/** In a path a plus is a plus. */
function decodePathText(raw: string): string {
  return decodeQueryText(raw.replaceAll("+", "%2B"), NAME);
}

export const SEARCH_ROWS = [single("search", "A part of the name.")];
export const PIN_ROWS = [
  single("parallelism", "Attempts at once.", integer()),
  single("rate", "Attempts that may start in a period.", integer()),
  single("period", "The period of the rate, in seconds. Default: 1.", integer()),
];
export const UNPIN_ROWS = [
  single("parallelism", "With `true`, messages set the parallelism again.", flag()),
  single("rate", "With `true`, messages set the rate again.", flag()),
];
