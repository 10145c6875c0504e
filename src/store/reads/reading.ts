import type { Reader } from "../reader.ts";
import type { Page, PageRequest } from "../reader/page.ts";
import type { Row } from "../records/rows.ts";
import type { Slice, SliceRequest } from "./slices.ts";

/** What a driver implements: long lists in slices, everything else as in Reader. */
export type DriverReader = { readonly [Name in keyof Reader]: NounReader<Name> };

export type NounReader<Name extends keyof Reader> = {
  [Method in keyof Reader[Name]]: Sliced<Reader[Name][Method]>;
};

type Sliced<Method> = Method extends (
  accountId: string,
  filter: infer Filter,
  page: infer Request,
) => Promise<Page<infer Item>>
  ? PageRequest extends Request
    ? (accountId: string, filter: Filter, slice: SliceRequest) => Promise<Slice<Item>>
    : Method
  : Method;

/** Conditions on messages, each as in the indexes of the driver that serve it. */
export interface Conditions {
  /** In the index of what waits. */
  readonly isWaiting: string;
  /** Waits apart from the others. */
  readonly isWaitingSuspect: string;
  /** Counts against the limit of its account. */
  readonly isCapped: string;
}

/**
 * A read of the store or a chore in it, the same for both drivers: it yields the queries that need no
 * answers of each other, and continues with the rows of each. SQLite drives it to its end in one turn
 * of its thread, PostgreSQL awaits each step; both do so in one transaction.
 */
export type Reading<Answer> = Generator<readonly Query[], Answer, readonly Found[]>;

export interface Query {
  /** Its parameters are `$1`, `$2` and so on in both drivers. */
  readonly text: string;
  readonly values: readonly Value[];
  /**
   * The query is made for each of these keys, whose values come before the others. SQLite runs the
   * statement once for each, PostgreSQL runs one statement for all of them.
   */
  readonly keys?: readonly Key[];
  /**
   * It changes rows, and how many is its one row. A change for each key is written by the driver:
   * PostgreSQL is given an array for each column of the keys.
   */
  readonly isChange?: true;
}

export type Value = string | number | boolean | null | readonly string[] | readonly number[];
export type Key = readonly (string | number)[];

/** The rows of each key; of a query without keys all rows are those of the first. */
export type Found = readonly (readonly Row[])[];

/** The reads of a noun, and their statements by name. */
export interface Noun<Name extends keyof Reader> {
  readonly sql: Statements;
  readonly reads: {
    readonly [Method in keyof NounReader<Name>]: ReadOf<NounReader<Name>[Method]>;
  };
}

/** A text that is made for an order or a filter is a function. */
export type Statements = Readonly<Record<string, string | ((...choices: never[]) => string)>>;

type ReadOf<Method> = Method extends (...asked: infer Asked) => Promise<infer Answer>
  ? (...asked: Asked) => Reading<Answer>
  : never;

export function keysOf(accountId: string, names: readonly string[]): Key[] {
  return names.map((name) => [accountId, name]);
}

export function* rowsOf(text: string, values: readonly Value[] = []): Reading<readonly Row[]> {
  const [found] = yield [{ text, values }];
  return found![0]!;
}

export function* firstRows(...queries: readonly Query[]): Reading<(Row | undefined)[]> {
  return (yield queries).map(([rows]) => rows![0]);
}

/** The rows of each key, in the order of the keys. */
export function* lookUp(
  text: string,
  keys: readonly Key[],
  values: readonly Value[] = [],
): Reading<Found> {
  if (keys.length === 0) return [];
  const [found] = yield [{ text, values, keys }];
  return found!;
}

/** The first row of a query; null when it has none. */
export function* one<Item>(
  text: string,
  values: readonly Value[],
  decode: (row: Row) => Item,
): Reading<Item | null> {
  const [row] = yield* rowsOf(text, values);
  return row === undefined ? null : decode(row);
}

/** The row of a query that always has one. */
export function* only<Item>(
  text: string,
  values: readonly Value[],
  decode: (row: Row) => Item,
): Reading<Item> {
  const [row] = yield* rowsOf(text, values);
  return decode(row!);
}

export function* all<Item>(
  text: string,
  values: readonly Value[],
  decode: (row: Row) => Item,
): Reading<Item[]> {
  return (yield* rowsOf(text, values)).map(decode);
}

/** The first row of each key; null for a key that has none. */
export function* each<Item>(
  text: string,
  keys: readonly Key[],
  decode: (row: Row) => Item,
  values: readonly Value[] = [],
): Reading<(Item | null)[]> {
  const found = yield* lookUp(text, keys, values);
  return found.map(([row]) => (row === undefined ? null : decode(row)));
}

/** How many rows a statement has changed. */
export function* change(text: string, values: readonly Value[]): Reading<number> {
  const [changed] = yield* changes([{ text, values }]);
  return changed!;
}

export function* changes(queries: readonly Query[]): Reading<number[]> {
  const found = yield queries.map((query) => ({ ...query, isChange: true }));
  return found.map((rows) => rows.flat().reduce((sum, row) => sum + Number(row["changed"]), 0));
}
