import type { DeadLetterFilter, LogFilter } from "../../core/model/message/log-filter.ts";
import type { DeadRunFilter } from "../../core/model/workflow/dead-run.ts";
import type { RunLogFilter } from "../../core/model/workflow/run-filter.ts";
import { invalidRequest, shownName, trimBlanks } from "../headers/header-value.ts";
import type { Schema } from "../json/schema.ts";
import { decodeQueryText, readQuery } from "./query.ts";

/** One query parameter of a list, and how its text is split into values. */
export interface ParameterRow {
  readonly name: string;
  /** Parameters of the same field are one filter. */
  readonly field: string;
  readonly splits: Splitting;
  /** The sentence that documents it. Without one it is another spelling, and not documented. */
  readonly says?: string;
  /** One value; a text if absent. */
  readonly value?: Schema;
  readonly isRequired?: boolean;
  /** The member of the filter that its values become; absent if it is no filter. */
  readonly filter?: FilterMember;
  /** Reads the values of the filter; as they are if absent. */
  readonly read?: (values: readonly string[]) => unknown;
}

/** The filters of all lists. */
type AnyFilter = LogFilter & DeadLetterFilter & RunLogFilter & DeadRunFilter;
type FilterMember = keyof AnyFilter;

/** A parameter that may occur once. */
export function single(name: string, says: string, value?: Schema): ParameterRow {
  return { name, field: name, splits: "single", says, ...(value === undefined ? {} : { value }) };
}

/** A parameter with any of several values, and the filter that they are. */
export function several(
  name: string,
  filter: FilterMember | null,
  says: string,
  more: Partial<ParameterRow> = {},
): ParameterRow {
  const filters = filter === null ? {} : { filter };
  return { name, field: name, splits: "everywhere", says, ...filters, ...more };
}

/** The filter that the values ask for, by the rows of its list. */
export function filterOf(values: Values, rows: readonly ParameterRow[]): AnyFilter {
  const filter: Record<string, unknown> = {};
  for (const { field, filter: member, read } of rows) {
    const given = values.get(field);
    if (member !== undefined && given !== undefined) filter[member] = read?.(given) ?? given;
  }
  return filter;
}

/** The values of each field of a query. */
export type Values = ReadonlyMap<string, readonly string[]>;

/**
 * Most values hold no comma, so a comma separates them even when it came encoded. Where a value may
 * hold one, only a bare comma separates, and in URLs only before the next scheme.
 */
export type Splitting = "everywhere" | "bare" | "urls" | "single" | "ignored" | "refused";

/** Whether empty values and a few unknown names of list clients are ignored. */
export type Strictness = "lenient" | "strict";

export const VALUES_MAX = 1_000;
/** Clients send these also to lists that do not know them; they are not filters. */
const IGNORED: ReadonlySet<string> = new Set(["api", "trimBody", "groupBy", "order"]);

/** Refuses every filter, for a list that has none. */
export function requireNoFilters(query: string): void {
  readParameters(query, [], "lenient");
}

/**
 * Refuses what a change of one item would ignore: its caller may have meant to change nothing.
 */
export function requireNoOthers(query: string, rows: readonly ParameterRow[] = []): void {
  if (query === "") return;
  const known = new Set(rows.map(({ name }) => name));
  for (const { name } of readQuery(query)) {
    if (known.has(name) || IGNORED.has(name)) continue;
    const why =
      name === "dryRun" ? "is only for calls that change many" : "is not a known parameter";
    throw invalidRequest(`${shownName(name)}: ${why}`);
  }
}

/**
 * The values of each field of the query; a field without values is left out. An unknown name is
 * refused: without the intended filter, the request would affect more.
 */
export function readParameters(
  query: string,
  rows: readonly ParameterRow[],
  strictness: Strictness,
): Values {
  const values = new Map<string, string[]>();
  for (const { name, rawValue } of readQuery(query)) {
    const row = rows.find((candidate) => candidate.name === name);
    if (row === undefined) {
      if (strictness === "lenient" && IGNORED.has(name)) continue;
      throw invalidRequest(`${shownName(name)}: is not a known parameter`);
    }
    if (row.splits === "refused") throw invalidRequest(`${name}: is not a filter of this list`);
    if (row.splits !== "ignored") addValues(values, row, rawValue, strictness);
  }
  return values;
}

function addValues(
  values: Map<string, string[]>,
  row: ParameterRow,
  rawValue: string,
  strictness: Strictness,
): void {
  const added = splitValue(row, rawValue)
    .map(trimBlanks)
    .filter((value) => value !== "");
  added.forEach((value) => requireStorable(row, value));
  if (added.length === 0) {
    if (strictness === "strict") throw invalidRequest(`${row.name}: is empty`);
    return;
  }
  const known = values.get(row.field);
  if (known === undefined) values.set(row.field, added);
  else if (row.splits === "single") throw invalidRequest(`${row.name}: is given twice`);
  else known.push(...added);
  if ((known?.length ?? added.length) > VALUES_MAX) {
    throw invalidRequest(`${row.name}: has more than ${VALUES_MAX} values`);
  }
}

function splitValue({ name, splits }: ParameterRow, rawValue: string): string[] {
  if (splits === "everywhere") return decodeQueryText(rawValue, name).split(",");
  if (splits === "bare") {
    return rawValue.split(",").map((value) => decodeQueryText(value, name));
  }
  const text = decodeQueryText(rawValue, name);
  return splits === "urls" ? text.split(/,(?=https?:\/\/)/) : [text];
}

/** Not every database accepts a text with control characters, and none stores one. */
export function requireStorable({ name }: ParameterRow, value: string): void {
  if (CONTROL_CHARACTERS.test(value)) throw invalidRequest(`${name}: holds a control character`);
}

const CONTROL_CHARACTERS = /\p{Cc}/u;
