/** Headers as a text that one edits: a name, a colon and a value in each line. */
type Pairs = readonly (readonly [name: string, value: string])[];

export function headerLines(pairs: Pairs): string {
  return pairs.map(([name, value]) => `${name}: ${value}`).join("\n");
}

export function headerPairs(text: string): [string, string][] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => {
      const colonAt = line.indexOf(":");
      if (colonAt < 1)
        throw new Error(`A header is a name, a colon and a value; this line is not: ${line}`);
      return [line.slice(0, colonAt).trim(), line.slice(colonAt + 1).trim()];
    });
}
