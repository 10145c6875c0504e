import type { Instant } from "../../core/model/time.ts";
import { parseLimit, requirePeriod } from "./flow-control.ts";
import {
  cleanValue,
  naming,
  parseBoolean,
  parseName,
  refusal,
  shownName,
} from "../headers/header-value.ts";
import type { Json } from "../message/message.ts";
import { decodeQueryText, readQuery } from "../filters/query.ts";
import { type ParameterRow, readParameters, single } from "../filters/filter-parameters.ts";
import { flag, whole } from "../json/schema.ts";

/** A flow-control key as shown. */
export interface ShownFlowControlKey {
  readonly key: string;
  readonly waiting: number;
  readonly parallelism: number | null;
  readonly underWay: number;
  readonly rate: number | null;
  readonly periodMs: number;
  readonly windowStartedAt: Instant;
  readonly windowStarts: number;
  readonly isPaused: boolean;
  readonly isParallelismPinned: boolean;
  readonly isRatePinned: boolean;
}

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
  return naming(NAME, () => {
    const text = decodePathText(raw);
    if (cleanValue(text) !== text) throw refusal("has blanks around it");
    return parseName(text);
  });
}

/** Reads `parallelism`, `rate` and `period` in seconds, with at least one limit. */
export function readPin(query: string): PinRequest {
  const given = readOnce(query, PIN_ROWS);
  const read = (name: string): number | undefined => {
    const text = given.get(name);
    return text === undefined ? undefined : naming(name, () => parseLimit(text));
  };
  const [parallelism, rate, period] = [read("parallelism"), read("rate"), read("period")];
  if (parallelism === undefined && rate === undefined) {
    throw refusal("parallelism or rate must be given");
  }
  if (rate === undefined && period !== undefined)
    throw refusal("period: is of no use without rate");
  const periodMs = (period ?? PERIOD_SECONDS_DEFAULT) * 1_000;
  naming("period", () => requirePeriod(periodMs));
  return { parallelism, rate: rate === undefined ? undefined : { rate, periodMs } };
}

/** Reads `parallelism=true` and `rate=true`; an absent one stays pinned. */
export function readUnpin(query: string): UnpinRequest {
  const given = readOnce(query, UNPIN_ROWS);
  const read = (name: string): boolean =>
    naming(name, () => parseBoolean(given.get(name) ?? "false"));
  return { parallelism: read("parallelism"), rate: read("rate") };
}

/** A part of the wanted names; null for all. */
export function readSearch(query: string): string | null {
  readParameters(query, SEARCH_ROWS, "lenient");
  const given = readQuery(query).filter(({ name }) => name === "search");
  if (given.length > 1) throw refusal("search: is given twice");
  const [search] = given;
  return search === undefined ? null : decodeQueryText(search.rawValue, "search") || null;
}

/** All fields are always present: a limit that is not set is 0. */
export function flowControlKeyJson(shown: ShownFlowControlKey): Json {
  return {
    flowControlKey: shown.key,
    waitListSize: shown.waiting,
    parallelismMax: shown.parallelism ?? 0,
    parallelismCount: shown.underWay,
    rateMax: shown.rate ?? 0,
    rateCount: shown.windowStarts,
    ratePeriod: Math.ceil(shown.periodMs / 1_000),
    ratePeriodStart: Math.floor(shown.windowStartedAt / 1_000),
    isPaused: shown.isPaused,
    isPinnedParallelism: shown.isParallelismPinned,
    isPinnedRate: shown.isRatePinned,
  };
}

function readOnce(query: string, rows: readonly ParameterRow[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const { name, rawValue } of readQuery(query)) {
    if (!rows.some((row) => row.name === name))
      throw refusal(`${shownName(name)}: is not a known parameter`);
    if (values.has(name)) throw refusal(`${name}: is given twice`);
    values.set(
      name,
      naming(name, () => cleanValue(decodeQueryText(rawValue, name))),
    );
  }
  return values;
}

/** In a path a plus is a plus. */
function decodePathText(text: string): string {
  return decodeQueryText(text.replaceAll("+", "%2B"), NAME);
}

export const SEARCH_ROWS = [single("search", "A part of the name.")];
export const PIN_ROWS = [
  single("parallelism", "Attempts at once.", whole()),
  single("rate", "Attempts that may start in a period.", whole()),
  single("period", "The period of the rate, in seconds. Default: 1.", whole()),
];
export const UNPIN_ROWS = [
  single("parallelism", "With `true`, messages set the parallelism again.", flag()),
  single("rate", "With `true`, messages set the rate again.", flag()),
];
