import { shownName } from "../../core/shown-name.ts";
import {
  HALF_OF_A_PAIR,
  invalidRequest,
  parseId,
  parseInteger,
  parsePositiveInteger,
  prefixErrors,
  trimBlanks,
} from "../headers/header-value.ts";
import { integer, type Schema, text } from "../json/schema.ts";

/** One query parameter, how its text is split into values, and how they are read. */
export interface ParameterRow<Name extends string = string, Value = unknown> {
  readonly name: Name;
  /** Parameters of the same field are one. */
  readonly field: string;
  readonly splits: Splitting;
  /** The sentence that documents it. Without one it is another spelling, and not documented. */
  readonly says?: string;
  /** One value; a text if absent. */
  readonly value?: Schema;
  readonly isRequired?: boolean;
  readonly read: (values: readonly string[]) => Value;
}

/** A parameter that may occur once. */
export function single<const Name extends string, Value = string>(
  name: Name,
  says: string,
  value: Schema = text(),
  parse: (given: string) => Value = (given) => given as Value,
): ParameterRow<Name, Value> {
  return { name, field: name, splits: "single", says, value, read: ([given]) => parse(given!) };
}

export function several<const Name extends string, Value = readonly string[]>(
  name: Name,
  says: string,
  read: (values: readonly string[]) => Value = (values) => values as Value,
  value: Schema = text(),
): ParameterRow<Name, Value> {
  return { name, field: name, splits: "everywhere", says, value, read };
}

export function oneOf<Word extends string>(words: readonly Word[]): (given: string) => Word {
  return (given) => {
    const word = words.find((known) => known === given);
    if (word === undefined) throw invalidRequest(`must be one of ${words.join(", ")}`);
    return word;
  };
}

/** Reads a number from 1. */
export function countUpTo(max: number): (given: string) => number {
  return (given) => {
    const count = parseInteger(given);
    if (count < 1 || count > max) throw invalidRequest(`must be from 1 to ${max}`);
    return count;
  };
}

export interface IdPage {
  /** The last id of the page before; empty for the first page. */
  readonly after: string;
  readonly count: number | null;
}

export const ID_PAGE_ROWS = [
  single("after", "The last id of the page before.", text(), parseId),
  single("count", "How many at most.", integer(), parsePositiveInteger),
];

export function readIdPage(query: string): IdPage {
  const { after = "", count = null } = readParameters(query, ID_PAGE_ROWS, "lenient");
  return { after, count };
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

/** What was given of each parameter, by its name. */
type Given<Row extends ParameterRow> = {
  readonly [One in Row as One["name"]]?: ReturnType<One["read"]>;
};

export const VALUES_MAX = 1_000;
/** Clients send these also to lists that do not know them; they are not filters. */
const IGNORED: ReadonlySet<string> = new Set(["api", "trimBody", "groupBy", "order"]);

/** Refuses every filter, for a list that has none. */
export function requireNoFilters(query: string): void {
  readValues(query, [], "lenient");
}

/** Refuses what a change of one item would ignore: the caller may have meant no change. */
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

export function readParameters<Row extends ParameterRow>(
  query: string,
  rows: readonly Row[],
  strictness: Strictness = "strict",
): Given<Row> {
  return givenIn(readValues(query, rows, strictness), rows);
}

/** Reads the values of these parameters; one without values is left out. */
export function givenIn<Row extends ParameterRow>(
  values: Values,
  rows: readonly Row[],
): Given<Row> {
  const given = rows.flatMap(({ name, field, read }) => {
    const texts = values.get(field);
    return texts === undefined ? [] : [[name, prefixErrors(name, () => read(texts))] as const];
  });
  return Object.fromEntries(given) as Given<Row>;
}

/**
 * The values of each field of the query; a field without values is left out. An unknown name is
 * refused: without the intended filter, the request would affect more.
 */
export function readValues(
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
  const decoded = decodeQueryText(rawValue, name);
  return splits === "urls" ? decoded.split(/,(?=https?:\/\/)/) : [decoded];
}

/** Not every database accepts such a text, and none stores one. */
export function requireStorable({ name }: ParameterRow, value: string): void {
  if (!value.isWellFormed()) throw invalidRequest(`${name}: ${HALF_OF_A_PAIR}`);
  if (CONTROL_CHARACTERS.test(value)) throw invalidRequest(`${name}: holds a control character`);
}

const CONTROL_CHARACTERS = /\p{Cc}/u;

const PARAMETERS_MAX = 2_000;

/** One `name=value` of a query, as it was sent. */
interface RawParameter {
  readonly name: string;
  readonly rawValue: string;
}

/** The parameters of a query in their order. Names are decoded, values are not. */
export function readQuery(query: string): RawParameter[] {
  const parts = query.split("&", PARAMETERS_MAX + 1);
  if (parts.length > PARAMETERS_MAX) {
    throw invalidRequest(`the query has more than ${PARAMETERS_MAX} parameters`);
  }
  return parts.filter((part) => part !== "").map(readParameter);
}

/** Decodes one name or value; `field` names it in the refusal. */
export function decodeQueryText(given: string, field: string): string {
  try {
    return decodeURIComponent(given.replaceAll("+", " "));
  } catch {
    throw invalidRequest(`${shownName(field)}: is not percent-encoded UTF-8`);
  }
}

function readParameter(part: string): RawParameter {
  const equalsAt = part.indexOf("=");
  const rawName = equalsAt < 0 ? part : part.slice(0, equalsAt);
  if (rawName === "") throw invalidRequest("the query has a value without a name");
  return {
    name: decodeQueryText(rawName, rawName),
    rawValue: equalsAt < 0 ? "" : part.slice(equalsAt + 1),
  };
}
