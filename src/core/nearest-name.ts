/**
 * The known name that a mistyped one most likely means, or undefined when none is close. A letter that
 * is missing, added, wrong or swapped with the next counts as one mistake.
 */
export function nearestName(typed: string, known: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let fewest = Math.max(MISTAKES_MIN, Math.floor(typed.length / LETTERS_FOR_A_MISTAKE)) + 1;
  for (const name of known) {
    if (Math.abs(name.length - typed.length) >= fewest) continue;
    const mistakes = mistakesBetween(typed.toLowerCase(), name.toLowerCase());
    if (mistakes >= fewest) continue;
    nearest = name;
    fewest = mistakes;
  }
  return nearest;
}

/** The edit distance in which two neighboring letters may be swapped at the price of one. */
export function mistakesBetween(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current.push(
        Math.min(
          last[column]! + 1,
          current[column - 1]! + 1,
          last[column - 1]! + (isSame ? 0 : 1),
          isSwapped ? beforeLast[column - 2]! + 1 : Infinity,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[other.length]!;
}

const MISTAKES_MIN = 2;
const LETTERS_FOR_A_MISTAKE = 4;
