import { NonRetryableError } from "./errors.ts";

/** A value to store. One that cannot be encoded would fail every time, so the run fails at once. */
export function jsonOf(what: string, value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    throw new NonRetryableError(`${what} cannot be written as JSON`, { cause: error });
  }
}

/** The JSON of a record; undefined has none. */
export function readJson(out: string | undefined): unknown {
  return out === undefined || out === null || out === "" ? undefined : JSON.parse(out);
}

/** A text that may or may not be JSON. */
export function readLoosely(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Text unchanged, anything else as JSON. */
export function bodyText(body: unknown): string | undefined {
  return typeof body === "string" || body === undefined ? body : JSON.stringify(body);
}
