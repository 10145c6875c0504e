import { refusal } from "./header-value.ts";

/** The value of a header that may occur once, such as Authorization; refuses a second one. */
export function singleHeader(rawHeaders: readonly string[], name: string): string | undefined {
  const lowerName = name.toLowerCase();
  let found: string | undefined;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index] ?? "";
    if (candidate.length !== name.length || candidate.toLowerCase() !== lowerName) continue;
    if (found !== undefined) throw refusal(`${name}: is given twice`);
    found = rawHeaders[index + 1] ?? "";
  }
  return found;
}
