/** Which known name a misspelled one was probably meant to be. */

const CHARACTERS_COMPARED_MAX = 64;

/** The known name that the fewest changes of a letter lead to; of equals the first. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const wanted = given.slice(0, CHARACTERS_COMPARED_MAX).toLowerCase();
  let nearest: string | undefined;
  let changes = Infinity;
  for (const name of names) {
    if (Math.abs(name.length - wanted.length) >= changes) continue;
    const needed = changesBetween(wanted, name.toLowerCase());
    if (needed >= changes) continue;
    nearest = name;
    changes = needed;
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
  return given.slice(1) === wanted.slice(0, -1) || given.slice(0, -1) === wanted.slice(1);
}

/** Letters to add, remove, replace or swap with a neighbor. */
function changesBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      let least = Math.min(
        last[column]! + 1,
        current[column - 1]! + 1,
        last[column - 1]! + (isSame ? 0 : 1),
      );
      const isSwapped =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwapped) least = Math.min(least, beforeLast[column - 2]! + 1);
      current.push(least);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length]!;
}
