import { NonRetryableError } from "./errors.ts";

/** A value to be kept. What cannot be kept would fail again and again, so the run fails at once. */
export function jsonOf(what: string, value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    throw new NonRetryableError(`${what} cannot be written as JSON`, { cause: error });
  }
}

/** The JSON that a record holds; nothing was recorded for undefined. */
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

/** Text as it is, anything else as JSON. */
export function bodyText(body: unknown): string | undefined {
  return typeof body === "string" || body === undefined ? body : JSON.stringify(body);
}
