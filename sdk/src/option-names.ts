/** Refuses options that do not exist, which the compiler does not see in JavaScript. */
import { PostriderError } from "./errors.ts";

/** The names of all options; the compiler demands that none is missing. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/** Throws if an option has another name; a value of undefined means that it is not given. */
export function requireKnown(
  what: string,
  given: unknown,
  names: Readonly<Record<string, true>>,
): void {
  if (typeof given !== "object" || given === null) {
    throw new PostriderError(`${what} must be an object with options`);
  }
  for (const name in given) {
    if (Object.hasOwn(names, name) || isAbsent(given, name)) continue;
    throw new PostriderError(
      `${what} has no option ${JSON.stringify(name)}; ${hint(name, Object.keys(names))}`,
    );
  }
}

/**
 * For an object that may hold more than the options, such as all that a server was started with:
 * only a name that looks like one of them is refused.
 */
export function requireSpelled(
  what: string,
  given: object,
  names: Readonly<Record<string, true>>,
): void {
  const near = Object.keys(given).filter(
    (name) => nearestOf(name, Object.keys(names)) !== undefined,
  );
  requireKnown(what, Object.fromEntries(near.map((name) => [name, true])), names);
}

/** For options that are written into others, such as `retry` of a client. */
export function requireKnownWithin(
  what: string,
  given: unknown,
  names: Readonly<Record<string, true>>,
): void {
  if (typeof given === "object" && given !== null) requireKnown(what, given, names);
}

function isAbsent(given: object, name: string): boolean {
  return !Object.hasOwn(given, name) || (given as Record<string, unknown>)[name] === undefined;
}

function hint(name: string, known: readonly string[]): string {
  const nearest = nearestOf(name, known);
  return nearest === undefined ? `it has: ${known.join(", ")}` : `did you mean ${nearest}?`;
}

/** Undefined if none is near enough to be meant: with more than one mistake in three letters it is another word. */
function nearestOf(name: string, known: readonly string[]): string | undefined {
  const distances = known.map((other) => distanceOf(name.toLowerCase(), other.toLowerCase()));
  const nearest = Math.min(...distances);
  return nearest > Math.max(1, name.length / 3) ? undefined : known[distances.indexOf(nearest)];
}

/** How many letters have to be added, removed, replaced or swapped with the next. */
function distanceOf(one: string, other: string): number {
  let earlier: number[] = [];
  let before = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= Math.min(one.length, NAME_LENGTH_MAX); row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const replaced = before[column - 1]! + (one[row - 1] === other[column - 1] ? 0 : 1);
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const swapped = isSwapped ? earlier[column - 2]! + 1 : Infinity;
      current.push(Math.min(replaced, swapped, before[column]! + 1, current[column - 1]! + 1));
    }
    earlier = before;
    before = current;
  }
  return before.at(-1)! + Math.max(0, one.length - NAME_LENGTH_MAX);
}

const NAME_LENGTH_MAX = 64;
