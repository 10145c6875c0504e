import type { HeaderList } from "../../core/model/message/message.ts";
import { Problem } from "../../core/problem.ts";
import type { Schema } from "../json/schema.ts";
import { shownName } from "../../core/shown-name.ts";
import { invalidRequest } from "./header-value.ts";

/** The schema of headers that `readHeaderObject` reads. */
export function headerObject(
  description: string,
  example: Readonly<Record<string, string>> = { "Svc-Retries": "3" },
): Schema<Readonly<Record<string, unknown>>> {
  return {
    type: "object",
    description,
    additionalProperties: { type: ["string", "array"], items: { type: "string" } },
    examples: [example],
  };
}

/** Headers given as a JSON object of names and values, in its order. */
export function readHeaderObject(value: Readonly<Record<string, unknown>>): HeaderList {
  const headers = Object.entries(value).flatMap(([name, given]) => {
    const values: readonly unknown[] = Array.isArray(given) ? given : [given];
    return values.map((text) => {
      if (typeof text === "string") return [name, text] as const;
      throw invalidRequest(`headers: ${shownName(name)} must be a string or an array of strings`);
    });
  });
  requireFewHeaders(headers.flat());
  return headers;
}

export const HEADERS_MAX = 200;
const HEADER_BYTES_MAX = 16 * 1024;

/** Refuses too many headers, or too many bytes of them. They are name, value, name, value. */
export function requireFewHeaders(rawHeaders: readonly string[]): void {
  if (rawHeaders.length > HEADERS_MAX * 2) {
    throw new Problem("headers-too-large", `the request has more than ${HEADERS_MAX} headers`);
  }
  let characters = 0;
  for (const text of rawHeaders) characters += text.length;
  if (characters > HEADER_BYTES_MAX) {
    throw new Problem("headers-too-large", `the headers have more than ${HEADER_BYTES_MAX} bytes`);
  }
}
