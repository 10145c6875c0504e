/** Fields that the filters of several lists have. */

/** A value for the menu, and how many of the rows that are shown have it. */
export interface Suggestion {
  readonly value: string;
  readonly count?: number | undefined;
}

export interface FilterField {
  /** The word in the token and in the URL. */
  readonly name: string;
  /** The word in the token, where the URL has a shorter one. */
  readonly word?: string;
  /** It is not in the menu: what is typed without a field belongs to it. */
  readonly isHidden?: boolean;
  /** Other words for it that may be typed. */
  readonly also?: readonly string[];
  readonly suggest?: () => readonly Suggestion[];
  /** What is wrong with the value, or null. */
  readonly check?: (value: string) => string | null;
  /** The value in words: `1h` is `last hour`. */
  readonly show?: (value: string) => string;
}

type NamedField = Pick<FilterField, "name" | "also">;

/** The field of a word that was typed. */
export function fieldNamed<Field extends NamedField>(
  fields: readonly Field[],
  typed: string | undefined,
): Field | undefined {
  const word = typed?.toLowerCase();
  return fields.find(({ name, also = [] }) => name === word || also.some((each) => each === word));
}

/** `label:mail` and `label mail` name a field. */
export function splitToken(
  text: string,
  fields: readonly NamedField[],
): { readonly name: string | null; readonly value: string } {
  const match = /^([a-z]+)(?::\s*|\s+)(.+)$/i.exec(text);
  const name = fieldNamed(fields, match?.[1])?.name ?? null;
  return name === null ? { name, value: text } : { name, value: match![2]! };
}

/** The values of one field, which the server separates at commas. */
export function filterValues(value: string): readonly string[] {
  return value.split(",").map((each) => each.trim());
}

/** How far back a list goes, in words. */
const TIMES: ReadonlyMap<string, string> = new Map([
  ["1h", "last hour"],
  ["24h", "last 24 h"],
  ["7d", "last 7 days"],
]);

/** When a list begins that goes back so far: `1h`, `30m`, `7d`, or a date. Null when it is none of these. */
export function sinceAt(value: string | null, now: number): number | null {
  const [, count, unit] = /^(\d{1,4})([smhd])$/.exec(value ?? "") ?? [];
  if (count !== undefined) return now - Number(count) * UNITS_MS[unit!]!;
  const at = /^\d{4}-\d\d-\d\d/.test(value ?? "") ? Date.parse(value!) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

export const TIME_FIELD: FilterField = {
  name: "time",
  word: "since",
  also: ["since"],
  suggest: () => [...TIMES.keys()].map((value) => ({ value })),
  check: (value) =>
    sinceAt(value, 0) === null ? "Give how far back, as 30m, 1h or 7d, or a date." : null,
  show: (value) => TIMES.get(value) ?? value,
};

/** A text that is searched for as it is. */
export const SEARCH_FIELD: FilterField = {
  name: "q",
  word: "text",
  also: ["text"],
  isHidden: true,
};

/** `status:503`, of an answer. */
export const STATUS_FIELD: FilterField = {
  name: "status",
  check: (value) =>
    /^\d{1,3}$/.test(value) ? null : "Give a status as a number; 0 for no answer.",
};

export function stateField(states: readonly string[]): FilterField {
  return {
    name: "state",
    suggest: () => states.map((value) => ({ value })),
    check: (value) =>
      states.some((state) => state.toUpperCase() === value.toUpperCase())
        ? null
        : `No state is called ${value}. There are ${states.join(", ")}.`,
  };
}

/** A field that suggests what is shown, the most frequent values first. */
export function fieldOfValues(
  name: string,
  values: () => readonly (string | undefined)[],
): FilterField {
  return {
    name,
    suggest: () => {
      const counts = new Map<string, number>();
      for (const value of values()) {
        if (value !== undefined && value !== "") counts.set(value, (counts.get(value) ?? 0) + 1);
      }
      return [...counts]
        .map(([value, count]) => ({ value, count }))
        .toSorted((one, other) => other.count - one.count)
        .slice(0, SUGGESTIONS_MAX);
    },
  };
}

const SUGGESTIONS_MAX = 20;
