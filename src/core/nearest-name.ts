/**
 * The known name that a mistyped one most likely means: the one that the fewest mistakes lead to, or
 * undefined when all need one in more than three letters, which is another word. A letter that is missing,
 * added, wrong or swapped with the next counts as one mistake.
 */
export function nearestName(typed: string, known: Iterable<string>): string | undefined {
  const wanted = typed.slice(0, LETTERS_COMPARED_MAX).toLowerCase();
  const mistakesMax = Math.max(1, Math.floor(wanted.length / LETTERS_FOR_A_MISTAKE));
  let nearest: string | undefined;
  let fewest = mistakesMax + 1;
  for (const name of known) {
    if (Math.abs(name.length - wanted.length) >= fewest) continue;
    const mistakes = mistakesBetween(wanted, name.toLowerCase());
    if (mistakes >= fewest) continue;
    nearest = name;
    fewest = mistakes;
  }
  return nearest;
}

/** True if one letter is missing, added or another one, at whatever place: `srv` for `svc`. */
export function isOneOff(word: string, known: string): boolean {
  const shorter = Math.min(word.length, known.length);
  if (word === known || Math.max(word.length, known.length) - shorter > 1) return false;
  let start = 0;
  while (start < shorter && word[start] === known[start]) start++;
  let end = 0;
  while (end < shorter - start && word.at(-1 - end) === known.at(-1 - end)) end++;
  const given = word.slice(start, word.length - end);
  const wanted = known.slice(start, known.length - end);
  if (given.length <= 1 && wanted.length <= 1) return true;
  if (given.length !== wanted.length) return false;
  if (given.length === 2 && given === `${wanted[1]}${wanted[0]}`) return true;
  // A letter lost at the beginning and another at the end make another word: `csv` is none of ours.
  if (word[0] !== known[0]) return false;
  return given.slice(1) === wanted.slice(0, -1) || given.slice(0, -1) === wanted.slice(1);
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

const LETTERS_FOR_A_MISTAKE = 3;
const LETTERS_COMPARED_MAX = 64;
