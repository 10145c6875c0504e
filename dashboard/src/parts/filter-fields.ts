/** Fields that the filters of several lists have. */

export interface FilterField {
  /** The word in the token and in the URL. */
  readonly name: string;
  readonly suggest?: () => readonly string[];
  /** What is wrong with the value, or null. */
  readonly check?: (value: string) => string | null;
  /** The value in words: `1h` is `last hour`. */
  readonly show?: (value: string) => string;
}

/** How far back a list goes. */
export const TIMES: Readonly<Record<string, { readonly ms: number; readonly words: string }>> = {
  "1h": { ms: 3_600_000, words: "last hour" },
  "24h": { ms: 86_400_000, words: "last 24 h" },
  "7d": { ms: 7 * 86_400_000, words: "last 7 days" },
};

export const TIME_FIELD: FilterField = {
  name: "time",
  suggest: () => Object.keys(TIMES),
  check: (value) => (value in TIMES ? null : `Give one of ${Object.keys(TIMES).join(", ")}.`),
  show: (value) => TIMES[value]?.words ?? value,
};

export function stateField(states: readonly string[]): FilterField {
  return {
    name: "state",
    suggest: () => states,
    check: (value) =>
      states.includes(value.toUpperCase())
        ? null
        : `No state is called ${value}. There are ${states.join(", ")}.`,
  };
}

/** A field that suggests what is shown, each value once. */
export function fieldOfValues(
  name: string,
  values: () => readonly (string | undefined)[],
): FilterField {
  return {
    name,
    suggest: () => {
      const known = values().filter((value) => value !== undefined && value !== "");
      return [...new Set(known as string[])].slice(0, SUGGESTIONS_MAX);
    },
  };
}

const SUGGESTIONS_MAX = 20;
